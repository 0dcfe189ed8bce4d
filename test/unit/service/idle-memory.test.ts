import assert from 'node:assert/strict';
import { createIdleMemory } from '../../../src/service/platform/system/idle-memory.ts';

describe('the memory of an idle service', () => {
  function start() {
    const timers = new Set<() => void>();
    let collected = 0;
    const after = (_ms: number, callback: () => void) => {
      timers.add(callback);
      return () => void timers.delete(callback);
    };
    const memory = createIdleMemory({ after }, () => collected++);
    const wait = () => {
      for (const timer of [...timers]) {
        timers.delete(timer);
        timer();
      }
      return collected;
    };
    return { memory, wait };
  }

  it('is collected once after many pages', () => {
    const { memory, wait } = start();
    memory.busy();
    memory.idle(300);
    assert.equal(wait(), 0);
    memory.busy();
    memory.idle(300);
    assert.equal(wait(), 1);
    assert.equal(wait(), 1);
    memory.idle(300);
    assert.equal(wait(), 1);
  });

  it("isn't collected while a job runs", () => {
    const { memory, wait } = start();
    memory.idle(1000);
    memory.busy();
    assert.equal(wait(), 0);
    memory.idle(0);
    assert.equal(wait(), 1);
  });

  it('is really collected', () => {
    const timers: (() => void)[] = [];
    createIdleMemory({
      after: (_ms, callback) => {
        timers.push(callback);
        return () => undefined;
      },
    }).idle(1000);
    const create = () => new WeakRef({ text: 'garbage' });
    const reference = create();
    // What a weak reference was read from stays alive until the end of the turn.
    return new Promise<void>((resolve) => setTimeout(resolve)).then(() => {
      timers[0]?.();
      assert.equal(reference.deref(), undefined);
      assert.equal('gc' in globalThis, false);
    });
  });
});
