import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { BrowserGone } from '../../../src/service/browsers/chrome/cdp-client.ts';
import { type Browser, openChrome } from '../../../src/service/browsers/chrome/chrome.ts';
import { systemClock } from '../../../src/service/platform/clock.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { createTabPool, type TabPool } from '../../../src/service/web/scrape/render/tab-pool.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('tabs of the scraping browser', () => {
  let directory: string;
  let pool: TabPool;
  const browsers: Browser[] = [];
  const open = (size: number) => {
    const chrome = openChrome({ headless: true }, silentLog);
    return createTabPool({
      // Without the proxy, which no page is loaded through here.
      provider: {
        ...chrome,
        local: false,
        async open(request) {
          const browser = await chrome.open(request);
          browsers.push(browser);
          return browser;
        },
      },
      directory,
      markerName: 'WEBDATA_TEST_TABS',
      egress: () => assert.fail('no proxy is used'),
      size,
      browsers: 2,
      clock: systemClock,
      log: silentLog,
    });
  };
  before(() => {
    directory = temporaryFolder();
    pool = open(2);
  });
  after(async () => {
    await pool.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });

  it('F20: keep nobody waiting for one that is being cleaned for somebody else', async () => {
    const { signal } = new AbortController();
    const [red, blue] = ['red', 'blue'].map((name) => ({ team: name, name })) as [never, never];
    const [stuck, other] = await Promise.all([pool.acquire(red, signal), pool.acquire(blue, signal)]);
    // A page that never lets go, so that its tab takes seconds to be given up.
    void stuck.send('Runtime.evaluate', { expression: 'for (;;);' }).catch(() => undefined);
    pool.release(stuck, true);
    const order: string[] = [];
    const queued: number[] = [];
    const noteQueued = (ms: number) => void queued.push(ms);
    const waits = [
      pool.acquire(red, signal, undefined, noteQueued).then((tab) => {
        order.push('red');
        return tab;
      }),
      pool.acquire(blue, signal).then((tab) => {
        order.push('blue');
        return tab;
      }),
    ];
    pool.release(other, true);
    for (const tab of await Promise.all(waits)) pool.release(tab, false);
    assert.deepEqual(order, ['blue', 'red']);
    assert.equal(queued.length, 1, 'and who waited for one learns how long');
    await pool.acquire(red, signal, undefined, () => assert.fail('there are free tabs'));
  });

  it('are closed if they crash while nobody has them', async () => {
    const { signal } = new AbortController();
    const user = { team: 'green', name: 'green' };
    const tab = await pool.acquire(user, signal);
    const crashed = Promise.withResolvers<void>();
    tab.client.on('Target.targetCrashed', ({ targetId }) => targetId === tab.frameId && crashed.resolve());
    const cleaned = Promise.withResolvers<void>();
    const { send } = tab;
    tab.send = (command, params) => {
      const sent = send(command, params);
      if (command === 'Storage.clearDataForOrigin') sent.then(() => cleaned.resolve(), cleaned.reject);
      return sent;
    };
    pool.release(tab, true);
    await cleaned.promise;
    send('Page.crash').catch(() => undefined);
    await crashed.promise;
    const next = await pool.acquire(user, signal);
    assert.notEqual(next.frameId, tab.frameId);
    assert.equal(await next.evaluate('1 + 1'), 2);
    pool.release(next, false);
  });

  it('are opened in another browser as soon as the connection to theirs is closed', async () => {
    const { signal } = new AbortController();
    const own = open(2);
    try {
      const tab = await own.acquire({ team: 'yellow', name: 'yellow' }, signal);
      const asked = tab.client.send('Runtime.evaluate', { expression: 'for (;;);' }, tab.sessionId);
      browsers.at(-1)?.abandon('was ended');
      await assert.rejects(asked, BrowserGone);
      const next = await own.acquire({ team: 'yellow', name: 'yellow' }, signal);
      assert.equal(await next.evaluate('1 + 1'), 2);
    } finally {
      await own.close();
    }
  });

  it('are in a browser of their team, or shared where there are too many teams (F24)', async () => {
    const { signal } = new AbortController();
    const own = open(4);
    try {
      const acquire = (team: string, name = team) => own.acquire({ team, name }, signal);
      const tabs = [await acquire('red'), await acquire('blue'), await acquire('green'), await acquire('red', 'red 2')];
      const [red, blue, green, again] = tabs.map(({ client }) => client);
      assert.notEqual(red, blue);
      assert.ok(green === red || green === blue);
      assert.equal(again, red);
    } finally {
      await own.close();
    }
  });

  it('are in a browser whose teams have left rather than in one that is used (F24)', async () => {
    const { signal } = new AbortController();
    const own = open(6);
    try {
      const acquire = (team: string) => own.acquire({ team, name: team }, signal);
      const [red, blue, green] = [await acquire('red'), await acquire('blue'), await acquire('green')];
      assert.equal(green.client, red.client);
      own.release(red, false);
      own.release(green, false);
      const yellow = await acquire('yellow');
      assert.equal(yellow.client, red.client, 'the browser with fewer teams is used, this one is not');
      own.release(blue, false);
      const returned = await acquire('red');
      assert.equal(returned.client, blue.client, 'who left comes back to a browser that nobody uses');
      await own.acquire({ team: 'red', name: 'red 2' }, signal).then(({ client }) => assert.equal(client, blue.client));
    } finally {
      await own.close();
    }
  });
});
