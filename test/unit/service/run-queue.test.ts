import assert from 'node:assert/strict';
import { createRunQueue } from '../../../src/service/browsers/sessions/run-queue.ts';

const never = new AbortController().signal;

describe('run queue', () => {
  it('runs one after another, in order', async () => {
    const queue = createRunQueue();
    const events: string[] = [];
    const task = (name: string) => async () => {
      events.push(`${name} starts`);
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`${name} ends`);
      return name;
    };
    const results = await Promise.all([
      queue.add(task('one'), never),
      queue.add(task('two'), never),
      queue.add(task('three'), never),
    ]);
    assert.deepEqual(results, ['one', 'two', 'three']);
    assert.deepEqual(events, ['one starts', 'one ends', 'two starts', 'two ends', 'three starts', 'three ends']);
    assert.equal(queue.size, 0);
  });

  it('continues after a failed task', async () => {
    const queue = createRunQueue();
    const failed = queue.add(() => Promise.reject(new Error('no')), never);
    const thrown = queue.add(() => {
      throw new Error('at once');
    }, never);
    const next = queue.add(async () => 'yes', never);
    await assert.rejects(failed, /no/);
    await assert.rejects(thrown, /at once/);
    assert.equal(await next, 'yes');
  });

  it('never runs a canceled task, and lets nobody overtake', async () => {
    const queue = createRunQueue();
    const first = Promise.withResolvers<void>();
    const events: string[] = [];
    const running = queue.add(async () => {
      await first.promise;
      events.push('first');
    }, never);
    const leaver = new AbortController();
    const left = queue.add(async () => void events.push('left'), leaver.signal);
    const third = queue.add(async () => void events.push('third'), never);
    leaver.abort(new Error('hung up'));
    await assert.rejects(left, /hung up/);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(events, []);
    first.resolve();
    await Promise.all([running, third]);
    assert.deepEqual(events, ['first', 'third']);
  });

  it('rejects a caller that has already disconnected', async () => {
    await assert.rejects(
      createRunQueue().add(async () => 1, AbortSignal.abort(new Error('gone'))),
      /gone/,
    );
  });
});
