import assert from 'node:assert/strict';
import { nothing, parseCounts, sum, summaryLine, withFailure } from '../../../scripts/lib/summary.mjs';

const twoPassed = { ...nothing(), passed: 2 };

describe('the summary of a test run', () => {
  it('mentions skipped tests only if there are some', () => {
    assert.equal(summaryLine({ ...nothing(), passed: 3 }), '3 passed, 0 failed');
    assert.equal(summaryLine({ passed: 3, failed: 1, skipped: 2, failures: ['x'] }), '3 passed, 1 failed, 2 skipped');
  });

  it('adds up suites', () => {
    const total = sum([twoPassed, withFailure(nothing(), 'a'), { ...nothing(), skipped: 4 }]);
    assert.deepEqual(total, { passed: 2, failed: 1, skipped: 4, failures: ['a'] });
  });

  it('accepts only complete counts from a file', () => {
    assert.deepEqual(parseCounts('{"passed":2,"failed":0,"skipped":0,"failures":[]}'), twoPassed);
    for (const broken of ['', '{', '{}', '{"passed":-1,"failed":0,"skipped":0,"failures":[]}', 'null']) {
      assert.equal(parseCounts(broken), undefined, broken);
    }
  });
});
