// @ts-check
import { shorten } from '../../src/contract/shorten.ts';
import { ALL_SUITES, CHECKS, DEFAULT_SUITES, SUITES } from './suites.mjs';

/**
 * @typedef {{ suites: string[], checks: string[], files: string[], grep?: string, database?: boolean, fleet?: boolean, cases?: number, seed?: number }} TestArguments
 */

/**
 * `[all] [suite or check…] [file…] [-g PATTERN] [--database] [--fleet] [--cases N] [--seed N] [--draw-seed]`. Files select the suite of their folder; `--database`
 * runs tests on PostgreSQL, and `--fleet` workbenches on a fleet; fuzz tests try `--cases` inputs, which `--seed` repeats;
 * `--draw-seed` takes another seed each time.
 * @param {string[]} args
 * @param {number} now
 * @returns {TestArguments}
 * @throws {Error} with one line that says what was expected
 */
export function parseTestArguments(args, now = Date.now()) {
  /** @type {TestArguments} */
  const parsed = { suites: [], checks: [], files: [] };
  let drawsSeed = false;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    if (arg === '-g' || arg === '--grep') {
      parsed.grep = args[++index];
      if (parsed.grep === undefined) throw new Error(`${arg} requires a pattern.`);
    } else if (arg === '--database') {
      parsed.database = true;
    } else if (arg === '--fleet') {
      parsed.fleet = true;
    } else if (arg === '--draw-seed') {
      drawsSeed = true;
    } else if (arg === '--cases' || arg === '--seed') {
      const value = args[++index] ?? '';
      if (!/^\d{1,9}$/.test(value)) throw new Error(`${arg} requires a whole number of at most nine digits.`);
      parsed[arg === '--cases' ? 'cases' : 'seed'] = Number(value);
    } else if (arg === 'all') {
      parsed.suites.push(...ALL_SUITES);
      parsed.checks.push(...Object.keys(CHECKS));
    } else if (arg.endsWith('.test.ts')) {
      parsed.files.push(arg);
    } else if (Object.hasOwn(SUITES, arg)) {
      parsed.suites.push(arg);
    } else if (Object.hasOwn(CHECKS, arg)) {
      parsed.checks.push(arg);
    } else {
      const names = ['all', ...Object.keys(SUITES), ...Object.keys(CHECKS)].join(', ');
      throw new Error(`Unknown suite "${shorten(arg, 60)}". The suites are: ${names}; test files end in .test.ts.`);
    }
  }
  if (drawsSeed) parsed.seed ??= now % 1_000_000_000;
  for (const file of parsed.files) {
    const name = suiteOf(file);
    if (name === undefined) throw new Error(`${shorten(file)} is not in the folder of a suite.`);
    if (!parsed.suites.includes(name)) parsed.suites.push(name);
  }
  if (parsed.suites.length + parsed.checks.length === 0) {
    parsed.suites = [...DEFAULT_SUITES];
    // A check has no tests that a pattern could name.
    if (parsed.grep === undefined) parsed.checks = Object.keys(CHECKS);
  }
  return parsed;
}

/**
 * @param {string} file
 * @returns {string | undefined}
 */
export function suiteOf(file) {
  const path = file.replaceAll('\\', '/');
  return Object.keys(SUITES).find((name) => {
    const { folders = [] } = SUITES[name] ?? {};
    const isIn = (/** @type {string} */ folder) => path.startsWith(`${folder}/`) || path.includes(`/${folder}/`);
    return name !== 'desktop' && folders.some(isIn);
  });
}
