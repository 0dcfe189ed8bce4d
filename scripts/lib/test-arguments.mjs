// @ts-check
import { DEFAULT_SUITES, SUITES } from './suites.mjs';

/**
 * @typedef {{ suites: string[], files: string[], grep?: string }} TestArguments
 */

/**
 * `[suite…] [file…] [-g PATTERN]`. Files belong to the suite of their folder, which need not be named then.
 * @param {string[]} args
 * @returns {TestArguments}
 * @throws {Error} one line saying what was expected
 */
export function parseTestArguments(args) {
  /** @type {TestArguments} */
  const parsed = { suites: [], files: [] };
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    if (arg === '-g' || arg === '--grep') {
      parsed.grep = args[++index];
      if (parsed.grep === undefined) throw new Error(`${arg} needs a pattern after it.`);
    } else if (arg.endsWith('.test.ts')) {
      parsed.files.push(arg);
    } else if (Object.hasOwn(SUITES, arg)) {
      parsed.suites.push(arg);
    } else {
      throw new Error(
        `There is no suite "${arg}". The suites are: ${Object.keys(SUITES).join(', ')}; files end in .test.ts.`,
      );
    }
  }
  for (const file of parsed.files) {
    const name = suiteOf(file);
    if (name === undefined) throw new Error(`${file} lies in no suite's folder.`);
    if (!parsed.suites.includes(name)) parsed.suites.push(name);
  }
  if (parsed.suites.length === 0) parsed.suites = [...DEFAULT_SUITES];
  return parsed;
}

/**
 * @param {string} file
 * @returns {string | undefined}
 */
export function suiteOf(file) {
  const path = file.replaceAll('\\', '/');
  return Object.keys(SUITES).find((name) => {
    const { folder } = SUITES[name] ?? {};
    return (
      folder !== undefined && name !== 'desktop' && (path.startsWith(`${folder}/`) || path.includes(`/${folder}/`))
    );
  });
}
