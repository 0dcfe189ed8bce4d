import assert from 'node:assert/strict';
import { createIdleMemory } from '../../../src/service/platform/system/idle-memory.ts';

describe('the memory of an idle service', () => {
  const mebibyte = 1024 * 1024;

  function start() {
    const timers = new Set<() => void>();
    let collected = 0;
    const heap = { used: 40 * mebibyte };
    const after = (_ms: number, callback: () => void) => {
      timers.add(callback);
      return () => void timers.delete(callback);
    };
    const collect = () => {
      collected++;
      heap.used = 45 * mebibyte;
    };
    const memory = createIdleMemory({ after }, collect, () => heap.used);
    const wait = () => {
      for (const timer of [...timers]) {
        timers.delete(timer);
        timer();
      }
      return collected;
    };
    return { memory, wait, heap };
  }

  it('is collected once the heap has grown, however few pages a job had (BUD-23)', () => {
    const { memory, wait, heap } = start();
    memory.busy();
    memory.idle();
    assert.equal(wait(), 0);
    memory.busy();
    heap.used = 140 * mebibyte;
    memory.idle();
    assert.equal(wait(), 1);
    assert.equal(wait(), 1);
    memory.idle();
    assert.equal(wait(), 1);
  });

  it("isn't collected again for what a collection left", () => {
    const { memory, wait, heap } = start();
    heap.used = 100 * mebibyte;
    memory.idle();
    assert.equal(wait(), 1);
    heap.used = 60 * mebibyte;
    memory.idle();
    assert.equal(wait(), 1);
  });

  it("isn't collected while a job runs", () => {
    const { memory, wait, heap } = start();
    heap.used = 140 * mebibyte;
    memory.idle();
    memory.busy();
    assert.equal(wait(), 0);
    memory.idle();
    assert.equal(wait(), 1);
  });

  it('is really collected', () => {
    const timers: (() => void)[] = [];
    const after = (_ms: number, callback: () => void) => {
      timers.push(callback);
      return () => undefined;
    };
    let heap = 0;
    const memory = createIdleMemory({ after }, undefined, () => heap);
    heap = 140 * mebibyte;
    memory.idle();
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
