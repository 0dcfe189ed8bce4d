import assert from 'node:assert/strict';
import { takeScreenshot } from '../../../src/service/browsers/page/screenshot.ts';
import type { Tab } from '../../../src/service/browsers/page/tab.ts';
import { workingFor } from '../../../src/service/platform/asker.ts';

describe('a screenshot of a whole page', () => {
  /** Returns the part of a page of this size that a screenshot shows, and what is said to be missing. */
  async function taken(width: number, height: number) {
    let clip = {};
    const said: string[] = [];
    const send = async (method: string, params?: { clip: object }) => {
      if (method === 'Page.getLayoutMetrics') return { cssContentSize: { width, height } };
      clip = params?.clip ?? {};
      return { data: '' };
    };
    await takeScreenshot({ send, on: () => () => undefined } as unknown as Tab, { fullPage: true }, (lacking) =>
      said.push(lacking),
    );
    return { clip, said };
  }
  const from0 = (width: number, height: number) => ({ x: 0, y: 0, width, height, scale: 1 });

  it('shows all of it as long as the picture is not too large', async () => {
    assert.deepEqual(await taken(1919.5, 16_384), { clip: from0(1920, 16_384), said: [] });
    assert.deepEqual(await taken(0, 0), { clip: from0(1, 1), said: [] });
  });

  it('says what is missing otherwise', async () => {
    const said = (shown: string, page: string) => [
      `The screenshot shows only the first ${shown} pixels of the page, which has ${page}.`,
    ];
    assert.deepEqual(await taken(1280, 20_000), {
      clip: from0(1280, 16_384),
      said: said('1280 × 16384', '1280 × 20000'),
    });
    assert.deepEqual(await taken(30_000, 30_000), {
      clip: from0(16_384, 3906),
      said: said('16384 × 3906', '30000 × 30000'),
    });
  });
});

describe('a screenshot of a page that loads itself again', () => {
  it('is taken while the page is kept from that', async () => {
    const lost = ['Unable to capture screenshot', 'Not attached to an active page'];
    const answers = [...lost, ...lost, { data: 'cGljdHVyZQ==' }];
    let begins = (_event: object) => {};
    const said: [string, object?, string?][] = [];
    let paused = (_request: object, _from: string) => {};
    const client = {
      on(_event: string, listener: typeof paused) {
        paused = listener;
        return () => said.push(['heard no more']);
      },
      async send(command: string, params?: object, session?: string) {
        said.push([command, params, session]);
        return { sessionId: 'own' };
      },
    };
    const tab = {
      frameId: 'page',
      client,
      on(event: string, listener: typeof begins) {
        if (event === 'Page.frameStartedLoading') begins = listener;
        return () => undefined;
      },
      async send(command: string) {
        begins({ frameId: 'page' });
        const answer = answers.shift();
        if (typeof answer === 'object') paused({ requestId: 'next', frameId: 'page' }, 'own');
        if (typeof answer === 'object') paused({ requestId: 'frame', frameId: 'frame' }, 'own');
        if (typeof answer === 'object') paused({ requestId: 'of others', frameId: 'page' }, 'others');
        if (typeof answer === 'object') return answer;
        throw new Error(`${command}: ${answer}`);
      },
    } as unknown as Tab;
    assert.equal(await takeScreenshot(tab, { fullPage: false }, () => undefined), 'data:image/png;base64,cGljdHVyZQ==');
    assert.deepEqual(said, [
      ['Target.attachToTarget', { targetId: 'page', flatten: true }, undefined],
      ['Fetch.enable', { patterns: [{ resourceType: 'Document' }] }, 'own'],
      ['Fetch.failRequest', { requestId: 'next', errorReason: 'Aborted' }, 'own'],
      ['Fetch.continueRequest', { requestId: 'frame' }, 'own'],
      ['heard no more'],
      ['Target.detachFromTarget', { sessionId: 'own' }, undefined],
    ]);
  });

  it('is one of the next page, which is not held, if that comes soon', async () => {
    const answers = [new Error('Page.captureScreenshot: Unable to capture screenshot'), { data: 'bmV4dA==' }];
    const send = async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const client = { send: () => assert.fail('nothing is held') };
    const tab = { frameId: 'page', client, send, on: () => () => undefined } as unknown as Tab;
    assert.equal(await takeScreenshot(tab, { fullPage: false }, () => undefined), 'data:image/png;base64,bmV4dA==');
  });

  it('fails with what went wrong if the page stays, after five tries', async () => {
    let tries = 0;
    const send = async () => {
      tries++;
      throw new Error('Page.captureScreenshot: Unable to capture screenshot');
    };
    const client = { on: () => () => undefined, send: async () => ({ sessionId: 'own' }) };
    const tab = { frameId: 'page', client, send, on: () => () => undefined } as unknown as Tab;
    await assert.rejects(
      takeScreenshot(tab, { fullPage: false }, () => undefined),
      { message: 'Page.captureScreenshot: Unable to capture screenshot' },
    );
    assert.equal(tries, 5);
  });

  it('fails with what else went wrong', async () => {
    const send = async () => {
      throw new Error('Page.captureScreenshot: Out of memory');
    };
    const tab = { send, on: () => () => undefined } as unknown as Tab;
    await assert.rejects(
      takeScreenshot(tab, { fullPage: false }, () => undefined),
      /Out of memory/,
    );
  });
});

describe('large screenshots at the same time (F23)', () => {
  const { signal } = new AbortController();

  /** Begins to take one, and returns whether the browser takes it, and what ends that. */
  function taking(team: string, height: number, until?: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<object>();
    const state = { isTaken: false, end: () => resolve({ data: '' }), done: Promise.resolve('') };
    const send = (method: string) => {
      if (method === 'Page.getLayoutMetrics') return Promise.resolve({ cssContentSize: { width: 1000, height } });
      state.isTaken = true;
      return promise;
    };
    const tab = { send, on: () => () => undefined } as unknown as Tab;
    const take = () => takeScreenshot(tab, { fullPage: true }, () => undefined, until);
    state.done = workingFor({ team, work: 'a scrape' }, take);
    return state;
  }
  const turn = () => new Promise(setImmediate);

  it('are taken one after another, and one more of a team that has none', async () => {
    const own = Array.from({ length: 3 }, () => taking('a', 16_000, signal));
    const other = taking('b', 16_000, signal);
    const small = taking('a', 5000, signal);
    const inOwnBrowser = taking('a', 16_000);
    await turn();
    const taken = () => own.map(({ isTaken }) => isTaken);
    assert.deepEqual(taken(), [true, false, false]);
    assert.deepEqual([other.isTaken, small.isTaken, inOwnBrowser.isTaken], [true, true, true]);
    own[0]?.end();
    await own[0]?.done;
    other.end();
    await other.done;
    await turn();
    assert.deepEqual(taken(), [true, true, false]);
    for (const each of [...own, small, inOwnBrowser]) each.end();
    await Promise.all([...own, small, inOwnBrowser].map(({ done }) => done));
  });

  it('are not waited for longer than the request may take', async () => {
    const first = taking('a', 16_000, signal);
    await turn();
    const late = new AbortController();
    const second = taking('a', 16_000, late.signal);
    await turn();
    late.abort(new Error('too late'));
    await assert.rejects(second.done, /too late/);
    assert.equal(second.isTaken, false);
    first.end();
    await first.done;
  });
});
