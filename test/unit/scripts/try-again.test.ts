import assert from 'node:assert/strict';
import { failure, type Result } from '../../../scripts/lib/results.mjs';
import { summaryLine } from '../../../scripts/lib/summary.mjs';
import { tryAgain } from '../../../scripts/lib/try-again.mjs';

const result = (file: string, state: Result['state'], title = file): Result => ({ title, state, file });

describe('failed tests', () => {
  /** Tries again what each suite came to; the second try of a file has `second`. */
  async function attempt(results: Record<string, Result[]>, second: (file: string) => Result[]) {
    const tried: string[] = [];
    const { results: last, flaky } = await tryAgain(new Map(Object.entries(results)), async (suite, file) => {
      tried.push(`${suite} ${file}`);
      return second(file);
    });
    return { tried, line: summaryLine(last), flaky: flaky.map((one) => one.result.title) };
  }

  it('of suites that drive windows, browsers of others or nodes are tried once more, a file at a time', async () => {
    const { tried, line, flaky } = await attempt(
      {
        unit: [result('u', 'failed'), result('v', 'passed')],
        ui: [result('a', 'failed'), result('a', 'failed', 'other'), result('b', 'passed')],
        clients: [result('c', 'failed')],
        fuzz: [result('f', 'failed')],
        types: [failure('types: exit code 1')],
      },
      (file) => [result(file, file === 'a' ? 'passed' : 'failed'), result(file, 'passed', 'other')],
    );
    assert.deepEqual(tried, ['ui a', 'clients c']);
    assert.deepEqual(flaky, ['a', 'other']);
    assert.equal(line, '5 passed, 4 failed');
  });

  it('are not tried again where the whole suite failed, or more than five files', async () => {
    const many = Array.from({ length: 6 }, (_, index) => result(String(index), 'failed'));
    for (const ui of [[failure('ui: no test ran')], many]) {
      const { tried, flaky } = await attempt({ ui }, () => [result('a', 'passed')]);
      assert.deepEqual([tried, flaky], [[], []]);
    }
  });

  it('fail if the second try leaves something running', async () => {
    const left = failure('ui: left a process running: chromium');
    const { line } = await attempt({ ui: [result('a', 'failed')] }, (file) => [result(file, 'passed'), left]);
    assert.equal(line, '1 passed, 1 failed');
  });
});
