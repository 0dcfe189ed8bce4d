import assert from 'node:assert/strict';
import { countCheck, countShards, countTests } from '../../../scripts/lib/run-suite.mjs';
import { nothing, parseCounts, sum, summaryLine, withFailure } from '../../../scripts/lib/summary.mjs';

const ended = { code: 0, signal: null, timedOut: false };
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

describe('the counts of a suite', () => {
  it('are what the reporter wrote if the suite ended well', () => {
    assert.deepEqual(countTests('unit', ended, twoPassed), twoPassed);
  });

  it('have a failure if the suite wrote no counts, even with exit code 0', () => {
    assert.equal(countTests('unit', ended, undefined).failed, 1);
  });

  it('have a failure if no test ran', () => {
    assert.deepEqual(countTests('unit', ended, nothing()).failures, ['unit: no test ran']);
  });

  it('have a failure if the process failed after its tests passed', () => {
    assert.deepEqual(countTests('unit', { ...ended, code: null, signal: 'SIGSEGV' }, twoPassed), {
      passed: 2,
      failed: 1,
      skipped: 0,
      failures: ['unit: stopped by SIGSEGV'],
    });
  });

  it('have a failure if the suite took too long', () => {
    assert.equal(countTests('unit', { ...ended, timedOut: true }, twoPassed).failed, 1);
  });

  it("don't include a failing process twice", () => {
    const failing = withFailure(twoPassed, 'a test');
    assert.deepEqual(countTests('unit', { ...ended, code: 1 }, failing), failing);
  });

  it('are the sum of its shards, some of which may have no matching test', () => {
    const shard = (counts: typeof twoPassed | undefined) => ({ ending: ended, counts });
    assert.deepEqual(countShards('service', [shard(twoPassed), shard(nothing())]), twoPassed);
    assert.equal(countShards('service', [shard(twoPassed), shard(twoPassed)]).passed, 4);
    assert.deepEqual(countShards('service', [shard(nothing()), shard(nothing())]).failures, ['service: no test ran']);
    assert.equal(countShards('service', [shard(twoPassed), shard(undefined)]).failed, 1);
    const crashed = { ending: { ...ended, code: 1 }, counts: nothing() };
    assert.equal(countShards('service', [shard(twoPassed), crashed]).failed, 1);
  });

  it('are one test for a check', () => {
    assert.deepEqual(countCheck('types', ended), { ...nothing(), passed: 1 });
    assert.deepEqual(countCheck('types', { ...ended, code: 2 }).failures, ['types: exited with code 2']);
  });
});
