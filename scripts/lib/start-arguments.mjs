// @ts-check
import { resolve } from 'node:path';

/** The port of `npm start`: always the same one, so that the browser finds its layout again. */
export const DEFAULT_PORT = 5130;

/**
 * @typedef {{ check: boolean, file?: string, port?: number }} StartArguments
 */

/**
 * `[--check] [--file F] [--port N]`. A relative file is meant from the folder in which the command was typed.
 * @param {string[]} args
 * @param {string} folder
 * @returns {StartArguments}
 * @throws {Error} one line saying what was expected
 */
export function parseStartArguments(args, folder) {
  /** @type {StartArguments} */
  const parsed = { check: false };
  const rest = args.flatMap((arg) => (/^--(file|port)=/.test(arg) ? [arg.slice(0, 6), arg.slice(7)] : [arg]));
  for (let index = 0; index < rest.length; index++) {
    const arg = rest[index];
    if (arg === '--check') {
      parsed.check = true;
    } else if (arg === '--file') {
      const file = rest[++index];
      if (!file) throw new Error('--file needs the path of a file after it.');
      parsed.file = resolve(folder, file);
    } else if (arg === '--port') {
      const port = Number(rest[++index] || Number.NaN);
      if (!Number.isInteger(port) || port < 0 || port > 65535)
        throw new Error('--port needs a number from 0 to 65535 after it.');
      parsed.port = port;
    } else {
      throw new Error(`"${arg}" is not known. Usage: npm start -- [--check] [--file F] [--port N]`);
    }
  }
  return parsed;
}
