import assert from 'node:assert/strict';
import { createFloods, createHogs, createVainCount, largest } from '../../../src/service/browsers/chrome/hogs.ts';

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

describe('pages that flood their browser with messages (F24)', () => {
  /** Looks every second for ten. Returns which pages were found, and in which second first. */
  const found = (sent: Record<number, number>, shared: number) => {
    const floods = createFloods();
    const first: Record<number, number> = {};
    for (let second = 0; second <= 10; second++) {
      const used = Object.entries(sent).map(([pid, share]) => [Number(pid), 50 + share * second] as const);
      for (const pid of floods(new Map(used), 900 + shared * second, 1)) first[pid] ??= second;
    }
    return first;
  };

  it('are those for which the browser works most, not those beside them', () =>
    assert.deepEqual(found({ 12: 0.5, 13: 0.01, 14: 0 }, 1), { 12: 4 }));

  it('are found when several share the time of the browser, too', () =>
    assert.deepEqual(found({ 12: 0.2, 13: 0.2, 14: 0.01 }, 1), { 12: 10, 13: 10 }));

  it('are not pages that load all the time, nor any while the browser works for none', () => {
    assert.deepEqual(found({ 12: 0.02, 13: 0.02, 14: 0.03, 15: 0.03 }, 0.4), {});
    assert.deepEqual(found({ 12: 0, 13: 0 }, 1), {});
  });

  it('are no longer known once they have ended', () => {
    const floods = createFloods();
    const looks = [0, 1, 9, 9].map((seconds, look) => floods(new Map(look === 2 ? [] : [[12, seconds]]), 0, 1));
    assert.deepEqual(looks, [[], [], [], []]);
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
