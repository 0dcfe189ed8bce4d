import assert from 'node:assert/strict';
import { limits } from '../../../src/contract/limits.ts';
import { outcomeOf, type RunEnd } from '../../../src/service/browsers/runners/outcome.ts';
import { createOutput } from '../../../src/service/browsers/runners/output.ts';

describe('the outcome of a run', () => {
  function outcome(end: RunEnd, stdout = '', stderr = '', early = { stdout: '', stderr: '' }) {
    const outputs = { stdout: createOutput(limits.output), stderr: createOutput(limits.output) };
    outputs.stdout.push(Buffer.from(stdout));
    outputs.stderr.push(Buffer.from(stderr));
    return outcomeOf(end, early, outputs);
  }
  const exited = (code: number | null, signal: NodeJS.Signals | null): RunEnd => ({ exit: { code, signal } });

  it('uses trimmed standard output if there is no result', () => {
    assert.equal(outcome({ result: { type: 'result', nonce: 'n', exitCode: 0 } }, ' a\n').result, 'a');
    assert.equal(outcome({ result: { type: 'result', nonce: 'n', exitCode: 0, result: '' } }, ' a\n').result, '');
  });

  it('says whether an empty result is the value of the code', () => {
    const message = { type: 'result', nonce: 'n', exitCode: 0 } as const;
    assert.equal(outcome({ result: { ...message, result: '' } }).emptyValue, true);
    assert.equal(outcome({ result: message }).emptyValue, undefined);
    assert.equal(outcome({ result: { ...message, result: 'a' } }).emptyValue, undefined);
  });

  it('puts earlier output first, and keeps it out of the result', () => {
    const { stdout, stderr, result } = outcome(exited(0, null), 'own\n', 'e', { stdout: 'early\n', stderr: 'E' });
    assert.deepEqual([stdout, stderr, result], ['early\nown\n', 'Ee', 'own']);
  });

  it('stays within the limit, earlier output included', () => {
    const half = 'a'.repeat(limits.output / 2 + 1);
    const { stdout, truncated } = outcome(exited(0, null), half, '', { stdout: half, stderr: '' });
    assert.equal(stdout.length, limits.output);
    assert.equal(truncated, true);
  });

  it('describes how a process exited', () => {
    assert.deepEqual(outcome(exited(0, null)), { stdout: '', stderr: '', result: '', exitCode: 0, killed: false });
    assert.match(outcome(exited(255, null)).error ?? '', /exited with code 255/);
    assert.equal(outcome(exited(255, null)).exitCode, 255);
    assert.equal(outcome(exited(null, 'SIGTERM')).exitCode, 143);
    assert.match(outcome(exited(null, 'SIGTERM')).error ?? '', /SIGTERM/);
    assert.match(outcome(exited(null, 'SIGKILL')).error ?? '', /out of memory/);
    assert.match(outcome(exited(null, 'SIGABRT'), '', 'JavaScript heap out of memory').error ?? '', /out of memory/);
    assert.match(outcome({ exit: { code: null, signal: null, error: new Error('ENOENT') } }).error ?? '', /ENOENT/);
  });

  it('gives the reason why it was stopped', () => {
    const { exitCode, killed, error } = outcome({ stopped: 'Because.' });
    assert.deepEqual([exitCode, killed, error], [137, true, 'Because.']);
  });
});
