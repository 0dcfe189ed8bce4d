import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createDeadline } from '../../../src/service/browsers/page/deadline.ts';
import { watchQuietness } from '../../../src/service/browsers/page/settle.ts';
import type { Tab } from '../../../src/service/browsers/page/tab.ts';

type Listener = (params: Record<string, unknown>) => void;

/** Watches a page, whose events the listeners are given by hand. */
function watched() {
  const listeners = new Map<string, Listener>();
  const tab = {
    frameId: 'page',
    on(method: string, listener: Listener) {
      listeners.set(method, listener);
      return () => listeners.delete(method);
    },
    evaluate: async () => 0,
    wait: async () => false,
    timesHeld: () => 0,
  };
  return { listeners, quietness: watchQuietness(tab as unknown as Tab) };
}

describe('a page that loads a frame', () => {
  it('has settled when the frame has moved to a process of its own, which reports the rest', async () => {
    const { listeners, quietness } = watched();
    const request = (requestId: string, frameId: string) =>
      listeners.get('Network.requestWillBeSent')?.({ requestId, frameId, type: 'Document' });
    request('r1', 'other site');
    request('r2', 'same site');
    const order: string[] = [];
    const settled = quietness
      .settled(createDeadline(60_000, new AbortController().signal))
      .then(() => order.push('settled'));
    await turn();
    listeners.get('Page.frameDetached')?.({ frameId: 'other site', reason: 'swap' });
    await turn();
    order.push('loaded');
    listeners.get('Network.loadingFinished')?.({ requestId: 'r2' });
    await turn();
    await turn();
    order.push('later');
    await settled;
    assert.deepEqual(order, ['loaded', 'settled', 'later']);
    quietness.stop();
    assert.equal(listeners.size, 0);
  });
});

describe('a page that loads itself again without end', () => {
  it('is not waited for any longer', async () => {
    const { listeners, quietness } = watched();
    const deadline = createDeadline(60_000, new AbortController().signal);
    const starts = () => listeners.get('Page.frameNavigated')?.({ frame: { id: 'page' } });
    listeners.get('Page.frameStartedNavigating')?.({ frameId: 'page' });
    assert.equal(quietness.isRestless(), false);
    for (const wait of ['loaded', 'settled'] as const) {
      let ended: boolean | undefined;
      const waiting = quietness[wait](deadline).then((value) => {
        ended = value;
      });
      for (let times = 0; times < 20; times++) starts();
      await turn();
      assert.equal(ended, undefined);
      starts();
      await waiting;
      assert.equal(ended, false);
    }
    assert.equal(quietness.isRestless(), true);
    quietness.stop();
  });

  it('is known by fewer times when the time for it is over', async () => {
    for (const [times, isRestless] of [
      [3, false],
      [4, true],
    ] as const) {
      mock.timers.enable({ apis: ['setTimeout'] });
      try {
        const { listeners, quietness } = watched();
        listeners.get('Page.frameStartedNavigating')?.({ frameId: 'page' });
        const waiting = quietness.loaded(createDeadline(60_000, new AbortController().signal));
        for (let each = 0; each < times; each++) listeners.get('Page.frameNavigated')?.({ frame: { id: 'page' } });
        mock.timers.tick(10_000);
        assert.equal(await waiting, false);
        assert.equal(quietness.isRestless(), isRestless, `left ${times} times`);
        quietness.stop();
      } finally {
        mock.timers.reset();
      }
    }
  });
});
