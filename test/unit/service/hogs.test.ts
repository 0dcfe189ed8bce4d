import assert from 'node:assert/strict';
import { createHogs } from '../../../src/service/browsers/chrome/hogs.ts';

describe('pages that use more than their share of processor time (F21)', () => {
  const browser = { pid: 10, parent: 1, seconds: 100 };
  const roots = new Set([10]);
  const page = (seconds: number, pid = 12, parent = 11) => ({ pid, parent, seconds });
  const zygote = { pid: 11, parent: 10, seconds: 0 };

  it('are found below a browser, however deep, and no other process is', () => {
    const hogs = createHogs();
    assert.deepEqual(hogs([browser, zygote, page(9), page(9, 13, 1), page(1, 14)], roots, 1), [12]);
  });

  it('may load at once, and use a little all the time', () => {
    const hogs = createHogs();
    for (let second = 1; second <= 100; second++)
      assert.deepEqual(hogs([browser, zygote, page(2 + 0.2 * second)], roots, 1), []);
  });

  it('are found after some seconds, and are no longer known once they have ended', () => {
    const hogs = createHogs();
    const found = [1, 2, 3, 4, 5].map((seconds) => hogs([browser, zygote, page(seconds)], roots, 1).length);
    assert.deepEqual(found, [0, 0, 0, 0, 1]);
    assert.deepEqual(hogs([browser, zygote], roots, 1), []);
    assert.deepEqual(hogs([browser, zygote, page(1)], roots, 1), []);
  });
});
