// @ts-check
import { relative } from 'node:path';
import Mocha from 'mocha';

/** Characters of one failed test in a report, and of each part of it. */
const REPORT_LIMIT = 4000;
const PART_LIMIT = 1500;

/**
 * A test, a hook or a file that failed, or what a suite as a whole did wrong. `file` and `place` are relative to the
 * repository, `place` with the line; `report` is for people.
 * @typedef {{ title: string, state: 'passed' | 'failed' | 'skipped', file?: string, place?: string, report?: string }} Result
 */

/**
 * A failure that is no test's own.
 * @param {string} title
 * @returns {Result}
 */
export const failure = (title) => ({ title, state: 'failed' });

/** Mocha's list of tests; {@link describeFailures} prints what failed. */
class Progress extends Mocha.reporters.Spec {
  /** @override */
  epilogue() {}
}

/**
 * @param {boolean} color whether the list is for a terminal
 * @returns {typeof Mocha.reporters.Spec}
 */
export function progressReporter(color) {
  Mocha.reporters.Base.useColors = color;
  return Progress;
}

/**
 * Keeps what mocha's tests come to. A failed hook counts as a failed test: the tests that depend on it did not run.
 * @param {Mocha.Runner} runner
 * @param {string} root folder of the repository
 * @param {(file: string) => string} [sourceOf] the source of a test file that was bundled
 * @returns {Result[]} filled while the tests run
 */
export function collectResults(runner, root, sourceOf = (file) => file) {
  /** @type {Result[]} */
  const results = [];
  const fileOf = (/** @type {{ file?: string }} */ { file }) => (file ? relative(root, sourceOf(file)) : undefined);
  runner.on('pass', (test) => void results.push({ title: test.fullTitle(), state: 'passed', file: fileOf(test) }));
  runner.on('pending', (test) => void results.push({ title: test.fullTitle(), state: 'skipped', file: fileOf(test) }));
  runner.on('fail', (test, error) => {
    // A file that could not be tested to its end has no title.
    const isFile = /^Uncaught error outside/.test(test.fullTitle()) && 'file' in error;
    const file = isFile ? relative(root, String(error.file)) : fileOf(test);
    const title = isFile ? `${file}: ${cut(firstLine(error.message), 200)}` : test.fullTitle();
    const place = placeOf(error.stack ?? '', root, file) ?? file;
    results.push({ title, state: 'failed', file, place, report: describe(error, root) });
  });
  return results;
}

/**
 * What failed, each in at most 4,000 characters: its title, its place, how to repeat it alone, and the error.
 * @param {Result[]} results
 */
export function describeFailures(results) {
  return results
    .filter(({ state, report }) => state === 'failed' && report !== undefined)
    .map((result) => cut(`✖ ${nameFailure(result)}\n${indented(result.report ?? '', '    ')}`, REPORT_LIMIT))
    .join('\n\n');
}

/**
 * The title of a failed test, its place, and the command that repeats it alone.
 * @param {Result} result
 */
export function nameFailure({ title, file, place }) {
  const name = cut(title, PART_LIMIT);
  if (!file || title.startsWith(file)) return name;
  // A hook is no test that a pattern could select.
  const pattern = / hook(: | for |$)/.test(title) ? '' : ` -g '${escaped(title)}'`;
  return `${name}\n    ${place ?? file}\n    npm test -- ${cut(`${file}${pattern}`, PART_LIMIT)}`;
}

/**
 * Parses the results that another process has written; undefined when they are not valid.
 * @param {string} json
 * @returns {Result[] | undefined}
 */
export function parseResults(json) {
  try {
    const results = JSON.parse(json);
    const isValid = (/** @type {any} */ { title, state }) =>
      typeof title === 'string' && ['passed', 'failed', 'skipped'].includes(state);
    return Array.isArray(results) && results.every(isValid) ? results : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {Error & { actual?: unknown, expected?: unknown, generatedMessage?: boolean }} error
 * @param {string} root
 */
function describe(error, root) {
  const { name, message, actual, expected, generatedMessage, stack = '' } = error;
  const values =
    generatedMessage === false && actual !== expected
      ? [`actual: ${shown(actual)}`, `expected: ${shown(expected)}`]
      : [];
  const calls = stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && line.includes(root) && !line.includes('node_modules'))
    .map((line) => line.trim().replace(`file://${root}/`, '').replace(`${root}/`, ''));
  return [cut(`${name ?? 'Error'}: ${message}`, PART_LIMIT), ...values, ...calls.slice(0, 6)].join('\n');
}

/** @param {unknown} value */
function shown(value) {
  return cut(typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value)), PART_LIMIT / 3);
}

/**
 * The first call of the stack in a test, the failed one's file first, else the first in the repository.
 * @param {string} stack
 * @param {string} root
 * @param {string} [file]
 */
function placeOf(stack, root, file) {
  const places = [...stack.matchAll(/^ +at .*?(?:file:\/\/)?(\/[^():]+):(\d+):\d+\)?$/gm)]
    .map(([, path = '', line = '']) => ({ path: relative(root, path), line }))
    .filter(({ path }) => path === file || !/^(\.\.|node_modules)/.test(path));
  const isTest = (/** @type {{ path: string }} */ { path }) => path === file || /^test\/.*\.test\.ts$/.test(path);
  const { path, line } = places.find(isTest) ?? places[0] ?? {};
  return path && `${path}:${line}`;
}

/**
 * Cuts a text in its middle, and says how much is left out.
 * @param {string} text
 * @param {number} limit
 */
function cut(text, limit) {
  if (text.length <= limit) return text;
  const [start, end] = [Math.floor(limit * 0.7), Math.floor(limit * 0.2)];
  return `${text.slice(0, start)} … (${text.length - start - end} characters left out) … ${text.slice(-end)}`;
}

const firstLine = (/** @type {string} */ text) => text.split('\n', 1)[0] ?? '';

/**
 * @param {string} text
 * @param {string} space
 */
const indented = (text, space) => text.replaceAll(/^/gm, space);

/** @param {string} title as a pattern in single quotes */
const escaped = (title) => title.replaceAll(/[$()*+.?[\\\]^{|}/]/g, '\\$&').replaceAll("'", '.');
