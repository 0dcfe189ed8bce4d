import assert from 'node:assert/strict';
import { createHogs, createVainCount, largest } from '../../../src/service/browsers/chrome/hogs.ts';

describe('pages that use more than their share of processor time (F21)', () => {
  const page = (seconds: number) => new Map([[12, seconds]]);

  it('may load at once, and use a little all the time', () => {
    const hogs = createHogs();
    hogs(page(0), 1);
    for (let second = 1; second <= 100; second++) assert.deepEqual(hogs(page(2 + 0.2 * second), 1), []);
  });

  it('are found after some seconds, and no other page is', () => {
    const hogs = createHogs();
    const used = (seconds: number) => new Map([...page(seconds), [13, seconds / 10]]);
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5].map((seconds) => hogs(used(seconds), 1)),
      [[], [], [], [], [], [12]],
    );
  });

  it('are not those that have used much before anybody looked', () => {
    const hogs = createHogs();
    assert.deepEqual([hogs(page(500), 1), hogs(page(500.1), 1), hogs(page(530), 3600)], [[], [], []]);
  });

  it('are no longer known once they have ended', () => {
    const hogs = createHogs();
    const looks = [page(0), page(9), new Map(), page(9)].map((used) => hogs(used, 1));
    assert.deepEqual(looks, [[], [12], [], []]);
  });
});

describe('the processes that are ended for their memory (F22)', () => {
  const [browser, small, large, larger] = [false, true, true, true].map((isPage, index) => ({
    pid: index + 1,
    isPage,
  }));
  const named = { browser, small, large, larger } as Record<string, { pid: number; isPage: boolean }>;
  const ended = (sizes: Record<string, number>, most: number) => {
    const given = Object.entries(sizes).map(
      ([name, size]) => [named[name] ?? { pid: 0, isPage: false }, size] as const,
    );
    const names = Object.keys(named);
    return largest(new Map(given), most).map((each) => names.find((name) => named[name] === each));
  };

  it('are none as long as there is room', () =>
    assert.deepEqual(ended({ browser: 30, small: 30, large: 40 }, 100), []));

  it('are the largest, and no more than needed', () => {
    assert.deepEqual(ended({ browser: 30, small: 10, large: 50, larger: 70 }, 100), ['larger']);
    assert.deepEqual(ended({ browser: 30, small: 10, large: 90, larger: 110 }, 100), ['larger', 'large']);
  });

  it('are pages, if the browser has no more than it needs for itself', () =>
    assert.deepEqual(ended({ browser: 45, small: 40, large: 30 }, 100), ['small']));

  it('are not those smaller than the browser, which keeps what pages store', () =>
    assert.deepEqual(ended({ browser: 130, small: 10, large: 50, larger: 140 }, 100), ['larger', 'browser']));

  it('are a whole browser, once pages were closed in vain for it', () => {
    const inVain = createVainCount();
    const [one, other] = [{}, {}];
    assert.deepEqual(
      [100, 100, 95, 120].map((size) => inVain(one, size)),
      [0, 1, 2, 3],
    );
    assert.deepEqual([inVain(other, 50), inVain(one, 120)], [0, 4]);
    assert.equal(inVain(one, 90), 0, 'it fell');
    const slowly = {};
    assert.deepEqual(
      [1000, 950, 899, 850, 800].map((size) => inVain(slowly, size)),
      [0, 1, 0, 1, 0],
      'it falls bit by bit',
    );
  });
});
