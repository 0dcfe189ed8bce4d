import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { frameHeaderBytes } from '../../../src/contract/sessions/live-view-wire.ts';
import type { CdpClient } from '../../../src/service/browsers/chrome/cdp-client.ts';
import { type EncodedFrame, FrameSender } from '../../../src/service/browsers/live-view/frame-sender.ts';
import { Screencast } from '../../../src/service/browsers/live-view/screencast.ts';

type Listener = (params: Record<string, unknown>, sessionId?: string) => void;

/** A Chrome that sends the frames it is told to, and one at the start of each screencast. */
class ScriptedChrome {
  picture = 'first';
  size = { deviceWidth: 800, deviceHeight: 600 };
  sendsFirst = true;
  fails = false;
  readonly calls: string[] = [];
  #listeners = new Set<Listener>();
  readonly client = {
    send: async (method: string) => {
      this.calls.push(method.replace('Page.', ''));
      if (method === 'Target.attachToTarget') return { sessionId: 'S' };
      if (method === 'Page.startScreencast' && this.fails) throw new Error('Not attached to an active page');
      if (method === 'Page.startScreencast' && this.sendsFirst) setImmediate(() => this.frame());
      return {};
    },
    on: (_method: string, listener: Listener) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
  } as unknown as CdpClient;

  frame(): void {
    const data = Buffer.from(this.picture).toString('base64');
    const params = { data, sessionId: 1, metadata: this.size };
    for (const listener of this.#listeners) listener(params, 'S');
  }
}

describe('a screencast', () => {
  const timers = new Map<() => void, number>();
  const pass = async () => {
    const [next] = [...timers].sort(([, one], [, other]) => one - other);
    if (!next) return false;
    timers.delete(next[0]);
    next[0]();
    for (let turns = 0; turns < 5; turns++) await turn();
    return true;
  };
  let chrome: ScriptedChrome;
  let cast: Screencast;
  let viewer: FrameSender;
  let shown: string[];
  let fitted: { width: number; height: number } | null;
  let seq = 0;
  beforeEach(async () => {
    fitted = null;
    timers.clear();
    chrome = new ScriptedChrome();
    shown = [];
    cast = new Screencast({
      client: chrome.client,
      targetId: 'T',
      level: 0,
      nextSeq: () => ++seq,
      onFrame: () => undefined,
      fitted: () => fitted,
      after: (ms, callback) => {
        timers.set(callback, ms);
        return () => timers.delete(callback);
      },
    });
    viewer = new FrameSender({
      send: (bytes) => shown.push(String(bytes.subarray(frameHeaderBytes))),
      now: () => 0,
      onRoom: () => undefined,
      onLevel: () => undefined,
    });
    const { offer } = viewer;
    viewer.offer = (frame: EncodedFrame) => {
      offer.call(viewer, frame);
      viewer.ack(frame.seq);
    };
    cast.add(viewer);
    for (let turns = 0; turns < 5; turns++) await turn();
  });

  it('shows the last picture of a page whose frame Chrome dropped', async () => {
    assert.deepEqual(shown, ['first']);
    chrome.picture = 'resized';
    cast.settle();
    assert.ok(await pass());
    assert.deepEqual(shown, ['first', 'resized']);
  });

  for (const [what, lack] of [
    ['sends no first picture', { sendsFirst: false }],
    ['has no page to show for a moment', { fails: true }],
  ] as const)
    it(`asks until there is a picture if Chrome ${what}`, async () => {
      cast.remove(viewer);
      shown = [];
      const { sendsFirst, fails } = chrome;
      Object.assign(chrome, lack);
      cast.add(viewer);
      for (let turns = 0; turns < 5; turns++) await turn();
      for (let passes = 0; passes < 10; passes++) assert.ok(await pass());
      assert.deepEqual(shown, []);
      Object.assign(chrome, { sendsFirst, fails });
      await pass();
      assert.deepEqual(shown, ['first']);
    });

  it('asks again for a page that changes late', async () => {
    cast.settle();
    await pass();
    chrome.picture = 'resized late';
    await pass();
    assert.deepEqual(shown, ['first', 'resized late']);
  });

  it('asks until a page has the size that it was given, however long it takes to draw', async () => {
    fitted = { width: 500, height: 400 };
    cast.settle();
    for (let passes = 0; passes < 10; passes++) assert.ok(await pass());
    assert.deepEqual(shown, ['first']);
    [chrome.picture, chrome.size] = ['resized', { deviceWidth: 500, deviceHeight: 400 }];
    while (await pass());
    assert.deepEqual(shown, ['first', 'resized']);
  });

  it('shows a page that stays the same once, and then leaves Chrome alone', async () => {
    while (await pass());
    assert.deepEqual(shown, ['first']);
    assert.equal(chrome.calls.filter((call) => call === 'startScreencast').length, 3);
  });

  it('asks for nothing once nobody watches', async () => {
    cast.remove(viewer);
    const calls = chrome.calls.length;
    cast.settle();
    while (await pass());
    assert.deepEqual(chrome.calls.slice(calls), []);
  });
});
