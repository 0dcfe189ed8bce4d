// @ts-check
import { failure, nameFailure } from './results.mjs';

/** @typedef {import('./results.mjs').Result} Result */

/** As many tests may pass only when they are tried again. */
const MAX_FLAKY = 2;

/**
 * `N passed, N failed`, and `, N skipped` when there are any.
 * @param {Result[]} results
 */
export function summaryLine(results) {
  const count = (/** @type {Result['state']} */ wanted) => results.filter(({ state }) => state === wanted).length;
  const skipped = count('skipped');
  return `${count('passed')} passed, ${count('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * The results of a file that was tried twice: a test that passed once has passed, and is flaky if it also failed.
 * @param {Result[]} first
 * @param {Result[]} second
 * @returns {{ results: Result[], flaky: { result: Result, outcomes: string }[] }}
 */
export function mergeTries(first, second) {
  const after = new Map(second.map((result) => [result.title, result]));
  const before = new Set(first.map(({ title }) => title));
  const wasRun = second.some(({ state }) => state === 'passed');
  /** @type {{ result: Result, outcomes: string }[]} */
  const flaky = [];
  const results = first.map((was) => {
    const is = after.get(was.title);
    // Hooks and files have a result only when they fail.
    const hasPassed = is?.state === 'passed' || (is === undefined && wasRun);
    if (was.state === 'failed' && hasPassed) flaky.push({ result: was, outcomes: 'failed, then passed' });
    else if (was.state === 'passed' && is?.state === 'failed')
      flaky.push({ result: is, outcomes: 'passed, then failed' });
    else return was;
    return { ...was, state: /** @type {const} */ ('passed') };
  });
  return { results: [...results, ...second.filter(({ title }) => !before.has(title))], flaky };
}

/**
 * The end of a report: what is flaky, what failed, and the counts.
 * @param {Result[]} results
 * @param {{ result: Result, outcomes: string }[]} flaky
 * @returns {{ text: string, isGreen: boolean }}
 */
export function summary(results, flaky) {
  const tooMany =
    flaky.length > MAX_FLAKY ? [failure(`${flaky.length} tests are flaky, where at most ${MAX_FLAKY} may be`)] : [];
  const all = [...results, ...tooMany];
  const failed = all.filter(({ state }) => state === 'failed');
  const list = (/** @type {string} */ title, /** @type {string[]} */ lines) =>
    lines.length > 0 ? [`${title}:\n${lines.map((line) => `  ${line}`).join('\n')}\n`] : [];
  const parts = [
    ...list(
      'Flaky',
      flaky.map(({ result, outcomes }) => `flaky (${outcomes}): ${nameFailure(result)}`),
    ),
    ...list('Failed', failed.map(nameFailure)),
    summaryLine(all),
  ];
  return { text: parts.join('\n'), isGreen: failed.length === 0 };
}
