import assert from 'node:assert/strict';
import { failure, nameFailure, parseResults, type Result } from '../../../scripts/lib/results.mjs';
import { mergeTries, summary, summaryLine } from '../../../scripts/lib/summary.mjs';

const passed = (title: string): Result => ({ title, state: 'passed', file: 'test/ui/a.test.ts' });
const failed = (title: string): Result => ({ ...passed(title), state: 'failed', place: 'test/ui/a.test.ts:7' });
const skipped = (title: string): Result => ({ ...passed(title), state: 'skipped' });
const flakyTests = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ result: failed(`t${index}`), outcomes: 'failed, then passed' }));

describe('the summary of a test run', () => {
  it('mentions skipped tests only if there are some', () => {
    assert.equal(summaryLine([passed('a'), passed('b')]), '2 passed, 0 failed');
    assert.equal(summaryLine([passed('a'), failed('b'), skipped('c')]), '1 passed, 1 failed, 1 skipped');
  });

  it('ends with the counts, after what failed, its place, and how to repeat it', () => {
    const { text, isGreen } = summary([passed('a'), failed("it's (not) b"), failure('ui: no test ran')], []);
    assert.deepEqual(text.split('\n'), [
      'Failed:',
      "  it's (not) b",
      '    test/ui/a.test.ts:7',
      "    npm test -- test/ui/a.test.ts -g 'it.s \\(not\\) b'",
      '  ui: no test ran',
      '',
      '1 passed, 2 failed',
    ]);
    assert.equal(isGreen, false);
  });

  it('names the file alone for a hook, which no pattern selects', () => {
    assert.match(nameFailure(failed('d "before all" hook for "b"')), /npm test -- test\/ui\/a\.test\.ts$/);
  });

  it('lists flaky tests with both outcomes, and fails if more than two are', () => {
    const two = summary([passed('t0'), passed('t1')], flakyTests(2));
    assert.match(two.text, /^Flaky:\n {2}flaky \(failed, then passed\): t0\n/);
    assert.match(two.text, /\n2 passed, 0 failed$/);
    assert.equal(two.isGreen, true);
    const three = summary([passed('t0'), passed('t1'), passed('t2')], flakyTests(3));
    assert.match(three.text, /3 tests are flaky, where at most 2 may be\n\n3 passed, 1 failed$/);
    assert.equal(three.isGreen, false);
  });

  it('accepts only complete results from a file', () => {
    assert.deepEqual(parseResults('[{"title":"a","state":"passed"}]'), [{ title: 'a', state: 'passed' }]);
    for (const broken of ['', '[', '{}', '[{}]', '[{"title":"a","state":"odd"}]', 'null', '[null]'])
      assert.equal(parseResults(broken), undefined, broken);
  });
});

describe('a file that is tried twice', () => {
  it('has passed what passed once, and what failed once is flaky', () => {
    const first = [passed('a'), failed('b'), failed('c'), skipped('d'), passed('e')];
    const { results, flaky } = mergeTries(first, [passed('a'), passed('b'), failed('c'), skipped('d'), failed('e')]);
    assert.deepEqual(
      results.map(({ title, state }) => `${title} ${state}`),
      ['a passed', 'b passed', 'c failed', 'd skipped', 'e passed'],
    );
    assert.deepEqual(
      flaky.map(({ result, outcomes }) => `${result.title}: ${outcomes}`),
      ['b: failed, then passed', 'e: passed, then failed'],
    );
  });

  it('counts the tests that a failed hook kept from running', () => {
    const hook = failed('d "before all" hook for "a"');
    const { results, flaky } = mergeTries([hook], [passed('a'), passed('b')]);
    assert.equal(summaryLine(results), '3 passed, 0 failed');
    assert.deepEqual(
      flaky.map(({ result }) => result),
      [hook],
    );
  });

  it('stays failed if nothing of it ran again', () => {
    assert.deepEqual(mergeTries([failed('a')], []), { results: [failed('a')], flaky: [] });
    const { results } = mergeTries([failed('a')], [failed('d "before all" hook for "a"')]);
    assert.equal(summaryLine(results), '0 passed, 2 failed');
  });
});
