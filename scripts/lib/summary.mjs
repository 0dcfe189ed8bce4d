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
    const { passed, failed, skipped, failures } = JSON.parse(json);
    const numbers = [passed, failed, skipped];
    if (!numbers.every((value) => Number.isInteger(value) && value >= 0) || !Array.isArray(failures)) return undefined;
    return { passed, failed, skipped, failures: failures.map(String) };
  } catch {
    return undefined;
  }
}
