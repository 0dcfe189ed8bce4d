import assert from 'node:assert/strict';
import { createOutputBatch } from '../../../src/service/browsers/sessions/run-queue.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';

describe('output of a run on its way to a window', () => {
  it('is sent immediately, then in few messages, in order', () => {
    const clock = createFakeClock();
    const sent: string[] = [];
    const batch = createOutputBatch(clock, (stream, text) => sent.push(`${stream} ${text}`));
    batch.push('stdout', 'a');
    assert.deepEqual(sent, ['stdout a']);
    for (const text of ['b', 'c', 'd']) batch.push('stdout', text);
    batch.push('stderr', 'E');
    batch.push('stdout', 'f');
    assert.deepEqual(sent, ['stdout a']);
    clock.advance(1000);
    assert.deepEqual(sent.slice(1), ['stdout bcd', 'stderr E', 'stdout f']);
    batch.push('stdout', 'g');
    assert.equal(sent.at(-1), 'stdout g');
  });

  it('is complete after a flush', () => {
    const clock = createFakeClock();
    const sent: string[] = [];
    const batch = createOutputBatch(clock, (_, text) => sent.push(text));
    batch.push('stdout', 'a');
    batch.push('stdout', 'b');
    batch.flush();
    clock.advance(1000);
    assert.deepEqual(sent, ['a', 'b']);
  });
});
