import assert from 'node:assert/strict';
import { report } from '../../../scripts/lib/check.ts';
import { parseStartArguments } from '../../../scripts/lib/start-arguments.mjs';

const parse = (...args: string[]) => parseStartArguments(args, '/caller');

describe('the arguments of the start script', () => {
  it('can be empty', () => {
    assert.deepEqual(parse(), { check: false });
  });

  it('accept a file relative to the folder in which the command was typed', () => {
    assert.deepEqual(parse('--check', '--file', 'a/b.js'), { check: true, file: '/caller/a/b.js' });
    assert.deepEqual(parse('--file=/abs/b.js'), { check: false, file: '/abs/b.js' });
  });

  it('accept a port', () => {
    assert.equal(parse('--port', '0').port, 0);
    assert.equal(parse('--port=8123').port, 8123);
  });

  it('are rejected if they are unknown or incomplete', () => {
    assert.throws(() => parse('--chek'), { message: /Unknown argument "--chek"\. Usage/ });
    assert.throws(() => parse('--file'), { message: /--file requires/ });
    for (const port of ['', 'x', '-1', '65536', '1.5'])
      assert.throws(() => parse('--port', port), /--port requires/, port);
  });
});

describe('the report of a check', () => {
  const shown = { runId: 'r', sessionId: 's', state: 'ok', result: '42', stdout: 'out\n' };

  it('is what the view shows', () => {
    assert.deepEqual(report(shown, '/p.png', 12), {
      ok: true,
      result: '42',
      stdout: 'out\n',
      sessionId: 's',
      screenshot: '/p.png',
      milliseconds: 12,
    });
  });

  it('is not ok for a snippet that threw, and includes its error and output', () => {
    const failed = report({ ...shown, state: 'failed', error: 'Error: boom', stderr: 'e' }, '/p.png', 1);
    assert.deepEqual(failed, {
      ok: false,
      error: 'Error: boom',
      stdout: 'out\n',
      stderr: 'e',
      sessionId: 's',
      screenshot: '/p.png',
      milliseconds: 1,
    });
  });

  it('is not ok for a canceled run or one without a session', () => {
    assert.equal(report({ ...shown, state: 'cancelled' }, '', 1).ok, false);
    assert.equal(report({ ...shown, sessionId: '' }, '', 1).ok, false);
  });
});
