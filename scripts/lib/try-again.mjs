// @ts-check
import { SUITES } from './suites.mjs';
import { mergeTries } from './summary.mjs';

/** @typedef {import('./results.mjs').Result} Result */

/** Where more files than this have failed, the cause isn't chance. */
const MAX_FILES = 5;

/**
 * Tries the failed files of suites that drive what isn't ours once more, one after another, when everything else has ended.
 * @param {Map<string, Result[]>} results by suite or check
 * @param {(suite: string, file: string) => Promise<Result[]>} run
 * @returns {Promise<{ results: Result[], flaky: { result: Result, outcomes: string }[] }>}
 */
export async function tryAgain(results, run) {
  const tries = [...results].flatMap(([name, ended]) => {
    const failed = SUITES[name]?.drivesOthers ? ended.filter(({ state, file }) => state === 'failed' && file) : [];
    return [...new Set(failed.map(({ file }) => file ?? ''))].map((file) => ({ name, file }));
  });
  /** @type {{ result: Result, outcomes: string }[]} */
  const flaky = [];
  const all = new Map(results);
  if (tries.length > MAX_FILES) console.log(`\n${tries.length} files failed: none is tried again.`);
  else
    for (const { name, file } of tries) {
      const before = all.get(name) ?? [];
      const isIn = (/** @type {Result} */ result) => result.file === file;
      const merged = mergeTries(before.filter(isIn), await run(name, file));
      flaky.push(...merged.flaky);
      all.set(name, [...before.filter((result) => !isIn(result)), ...merged.results]);
    }
  return { results: [...all.values()].flat(), flaky };
}
