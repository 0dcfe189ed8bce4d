import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import type { Tab } from '../../../src/service/browsers/page/tab.ts';
import { countOpenings } from '../../../src/service/web/scrape/render/openings.ts';

describe('what a page opens (F19)', () => {
  type Listener = (params: object) => void;

  /** Counts what the page of a tab opens. */
  function counting(contextId?: string) {
    const listeners = new Map<string, Listener>();
    const on = (event: string, listener: Listener) => {
      listeners.set(event, listener);
      return () => listeners.delete(event);
    };
    const said: string[] = [];
    const stop = countOpenings({ contextId, client: { on }, on } as unknown as Tab, (reason) => said.push(reason));
    const frames = (count: number) => {
      for (let index = 0; index < count; index++) listeners.get('Page.frameAttached')?.({});
    };
    const requests = (count: number, url = 'https://site.test/') => {
      for (let index = 0; index < count; index++) listeners.get('Network.requestWillBeSent')?.({ request: { url } });
    };
    const targets = (type: string, count: number, browserContextId = 'own') => {
      for (let index = 0; index < count; index++)
        listeners.get('Target.targetCreated')?.({ targetInfo: { type, browserContextId } });
    };
    return { said, frames, requests, targets, stop };
  }
  const sentence = (what: string) => [`The page was closed, because it opened more than ${what}.`];

  it('is limited in windows, workers and frames', () => {
    const workers = Math.max(50, 4 * availableParallelism());
    for (const [what, type, most] of [
      ['windows', 'page', 50],
      ['workers', 'worker', workers],
      ['workers', 'shared_worker', workers],
      ['workers', 'service_worker', workers],
    ] as const) {
      const page = counting('own');
      page.targets(type, most);
      assert.deepEqual(page.said, []);
      page.targets(type, 1);
      assert.deepEqual(page.said, sentence(`${most} ${what}`));
    }
    const page = counting('own');
    page.frames(500);
    assert.deepEqual(page.said, []);
    page.frames(1);
    assert.deepEqual(page.said, sentence('500 frames'));
  });

  it('is limited in requests', () => {
    const page = counting('own');
    page.requests(10_000);
    page.requests(10_000, 'data:image/gif;base64,R0lGODlhAQABAAAAACw=');
    assert.deepEqual(page.said, []);
    page.requests(1);
    assert.deepEqual(page.said, ['The page was closed, because it sent more than 10000 requests.']);
  });

  it('is not what pages of other contexts open', () => {
    const page = counting('own');
    page.targets('page', 100, 'another');
    page.targets('iframe', 100);
    assert.deepEqual(page.said, []);
    const alone = counting();
    alone.targets('page', 51, 'any');
    assert.deepEqual(alone.said, sentence('50 windows'));
  });

  it('is counted until its page has been read', () => {
    const page = counting('own');
    page.stop();
    page.targets('page', 100);
    page.frames(1000);
    assert.deepEqual(page.said, []);
  });
});
