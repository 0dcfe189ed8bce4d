// @ts-check

/**
 * The results of a suite. `failures` has the names of failed tests, for the list at the end.
 * @typedef {{ passed: number, failed: number, skipped: number, failures: string[] }} Counts
 */

/** @returns {Counts} */
export const nothing = () => ({ passed: 0, failed: 0, skipped: 0, failures: [] });

/**
 * Adds a failed test.
 * @param {Counts} counts
 * @param {string} name
 * @returns {Counts}
 */
export function withFailure(counts, name) {
  return { ...counts, failed: counts.failed + 1, failures: [...counts.failures, name] };
}

/**
 * @param {Counts[]} all
 * @returns {Counts}
 */
export function sum(all) {
  return all.reduce(
    (total, counts) => ({
      passed: total.passed + counts.passed,
      failed: total.failed + counts.failed,
      skipped: total.skipped + counts.skipped,
      failures: [...total.failures, ...counts.failures],
    }),
    nothing(),
  );
}

/**
 * `N passed, N failed`, and `, N skipped` when there are any.
 * @param {Counts} counts
 */
export function summaryLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * Parses the output of a suite's reporter; undefined when it is not valid.
 * @param {string} json
 * @returns {Counts | undefined}
 */
export function parseCounts(json) {
  try {
    return countsOf(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/**
 * Parses the counts of each file with failed tests from the same output, by the file's path; undefined when it has none.
 * @param {string} json
 * @returns {Map<string, Counts> | undefined}
 */
export function parseFailedFiles(json) {
  try {
    /** @type {Map<string, Counts>} */
    const files = new Map();
    for (const [file, value] of Object.entries(JSON.parse(json).failedFiles)) {
      const counts = countsOf(value);
      // A failure that belongs to no file can't be tried again.
      if (!counts || file === '') return undefined;
      files.set(file, counts);
    }
    return files;
  } catch {
    return undefined;
  }
}

/**
 * The counts of a run whose files with failed tests ran once more, which then counts.
 * @param {Counts} first
 * @param {Iterable<Counts>} replaced the counts of these files in the first run
 * @param {Counts} second
 * @returns {Counts}
 */
export function withSecondRun(first, replaced, second) {
  const { passed, failed, skipped, failures } = sum([...replaced]);
  const rest = {
    passed: first.passed - passed,
    failed: first.failed - failed,
    skipped: first.skipped - skipped,
    failures: first.failures.filter((failure) => !failures.includes(failure)),
  };
  return sum([rest, second]);
}

/**
 * @param {any} value
 * @returns {Counts | undefined}
 */
function countsOf({ passed, failed, skipped, failures }) {
  const numbers = [passed, failed, skipped];
  if (!numbers.every((value) => Number.isInteger(value) && value >= 0) || !Array.isArray(failures)) return undefined;
  return { passed, failed, skipped, failures: failures.map(String) };
}
