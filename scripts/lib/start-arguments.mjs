// @ts-check
import { resolve } from 'node:path';
import { shorten } from '../../src/contract/shorten.ts';

/** The port of `npm start`: always the same, so that the browser restores the layout. */
export const DEFAULT_PORT = 5130;

/**
 * @typedef {{ check: boolean, file?: string, port?: number }} StartArguments
 */

/**
 * `[--check] [--file F] [--port N]`. A relative file is resolved from the folder of the command.
 * @param {string[]} args
 * @param {string} folder
 * @returns {StartArguments}
 * @throws {Error} with one line that says what was expected
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
      if (!file) throw new Error('--file requires the path of a file.');
      parsed.file = resolve(folder, file);
    } else if (arg === '--port') {
      const port = Number(rest[++index] || Number.NaN);
      if (!Number.isInteger(port) || port < 0 || port > 65535)
        throw new Error('--port requires a number from 0 to 65535.');
      parsed.port = port;
    } else {
      throw new Error(
        `Unknown argument "${shorten(arg ?? '', 60)}". Usage: npm start -- [--check] [--file F] [--port N]`,
      );
    }
  }
  return parsed;
}
