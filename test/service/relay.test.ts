import assert from 'node:assert/strict';
import { on, once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text as streamText } from 'node:stream/consumers';
import { chromium, type Page } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { WebSocket } from 'ws';
import { eventually, patience } from '../harness/eventually.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { patient } from '../harness/patient.ts';
import { chosenBrowsers, startTestService, type TestService } from '../harness/service.ts';

describe('cdpUrl', () => {
  let service: TestService;
  let id: string;
  let cdpUrl: string;
  before(async () => {
    service = await startTestService(chosenBrowsers);
  });
  beforeEach(async () => {
    ({ id, cdpUrl } = (await service.call('POST', '/v2/browser', {})).body);
  });
  afterEach(async () => {
    await service.call('DELETE', `/v2/browser/${id}`);
  });
  after(() => service.close());

  it('serves Playwright, Puppeteer and the runner at once, on the same pages', async () => {
    const playwright = await chromium.connectOverCDP(cdpUrl, { timeout: patience });
    const second = await chromium.connectOverCDP(cdpUrl, { timeout: patience });
    const puppet = await puppeteer.connect({ browserWSEndpoint: cdpUrl, defaultViewport: null });
    const page = playwright.contexts()[0]?.pages()[0];
    assert.ok(page);
    await page.goto('data:text/html,<title>shared</title><button onclick="document.title=%27clicked%27">go</button>');
    const run = await service.call('POST', `/v2/browser/${id}/execute`, {
      code: 'await page.click("button"); await page.title()',
    });
    assert.equal(run.body.result, 'clicked');
    assert.equal(await second.contexts()[0]?.pages()[0]?.title(), 'clicked');
    const [puppetPage] = await puppet.pages();
    assert.equal(await puppetPage?.title(), 'clicked');

    await playwright.close();
    const context = patient(await second.newContext());
    const other = await context.newPage();
    await other.setContent('<iframe srcdoc="<p>inside</p>"></iframe>');
    assert.equal(await other.frameLocator('iframe').locator('p').textContent(), 'inside');
    await second.close();
    assert.equal(await puppetPage?.evaluate('1 + 1'), 2);
    await puppet.disconnect();
    // Chrome closes the page of the other context a moment after the client that made it has left.
    await eventually(async () => {
      const after = await service.call('POST', `/v2/browser/${id}/execute`, { code: 'context.pages().length' });
      assert.equal(after.body.result, '1');
    });
  });

  it('loads pages anew when a client goes back or forward, so that what waits for them to load ends', async () => {
    const site = createServer(({ url = '' }, response) => {
      response.setHeader('content-type', 'text/html').end(`<title>${url}</title>`);
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const browser = await chromium.connectOverCDP(cdpUrl, { timeout: patience });
    try {
      const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
      const page = patient(browser.contexts()[0]?.pages()[0] as Page);
      await page.goto(`${address}/first`);
      await page.goto(`${address}/second`);
      for (const [way, title] of [
        ['back', '/first'],
        ['forward', '/second'],
      ]) {
        // Left by itself, the page would come back as it was, without a load.
        await page.evaluate(`history.${way}()`);
        await eventually(async () => assert.equal(await page.title(), title));
        const shown = 'performance.getEntriesByType("navigation")[0].type';
        assert.equal(await page.evaluate(shown), 'back_forward');
      }
    } finally {
      await browser.close();
      site.close();
    }
  });

  it('starts a new page once all clients have let it that asked for that, so that each sees all of it', async () => {
    const asked: string[] = [];
    const site = createServer(({ url = '' }, response) => {
      asked.push(url);
      response.setHeader('content-type', 'text/html');
      response.end('<title>popup</title>');
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const other = await service.call('POST', `/v2/browser`, {});
    const inOther = (code: string) => service.call('POST', `/v2/browser/${other.body.id}/execute`, { code });
    await inOther('page.url()');
    const socket = new WebSocket(cdpUrl);
    try {
      await once(socket, 'open');
      const messages = on(socket, 'message');
      const send = (command: object) => socket.send(JSON.stringify(command));
      const options = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
      send({ id: 1, method: 'Target.setAutoAttach', params: options });
      const next = async (matches: (message: { id?: number; params?: Record<string, unknown> }) => boolean) => {
        for (;;) {
          const { value } = await messages.next();
          const message = JSON.parse(String(value?.[0]));
          if (matches(message)) return message;
        }
      };
      await next((message) => message.id === 1);
      const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/popup`;
      const running = service.call('POST', `/v2/browser/${id}/execute`, {
        code: `const popup = page.waitForEvent('popup'); await page.evaluate(() => void open('${url}')); await (await popup).title()`,
      });
      const told = await next(({ params }) => params?.waitingForDebugger === true);
      // Another page needs all that Chrome would do for the first. A new session could take longer than the relay waits.
      await inOther(`await page.goto('${url}/other')`);
      assert.deepEqual(
        asked.filter((path) => path !== '/favicon.ico'),
        ['/popup/other'],
      );
      send({ id: 2, method: 'Runtime.runIfWaitingForDebugger', sessionId: told.params.sessionId });
      const { body } = await running;
      assert.equal(body.result, 'popup');
      assert.ok(asked.includes('/popup'));
    } finally {
      await service.call('DELETE', `/v2/browser/${other.body.id}`);
      socket.close();
      site.closeAllConnections();
      site.close();
    }
  });

  it('is found from its http form, as with a debugging port', async () => {
    const url = cdpUrl.replace(/^ws/, 'http');
    const playwright = await chromium.connectOverCDP(url, { timeout: patience });
    assert.equal(playwright.contexts().length, 1);
    await playwright.close();
    const puppet = await puppeteer
      .connect({ browserURL: new URL(url).origin, defaultViewport: null })
      .catch(() => null);
    assert.equal(puppet, null, 'without the secret there is nothing');
    const statusOf = async (at: string) => (await fetch(`${at}/json/version`)).status;
    assert.equal(await statusOf(`${url}x`), 401);
    assert.equal((await fetch(`${url}/json/list`)).status, 401);
    await service.call('DELETE', `/v2/browser/${id}`);
    assert.equal(await statusOf(url), 410);
  });

  it("gives Playwright's downloads to the client, and keeps them in the session's folder", async () => {
    const playwright = await chromium.connectOverCDP(cdpUrl, { timeout: patience });
    const kept = temporaryFolder();
    try {
      for (const context of [playwright.contexts()[0], await playwright.newContext()]) {
        assert.ok(context);
        const page = patient(context.pages()[0] ?? (await context.newPage()));
        await page.setContent('<a download="report.txt" href="data:text/plain,figures">get</a>');
        const [download] = await Promise.all([page.waitForEvent('download'), page.click('a')]);
        assert.equal(readFileSync(await download.path(), 'utf8'), 'figures');
        await download.saveAs(join(kept, 'report.txt'));
        assert.equal(readFileSync(join(kept, 'report.txt'), 'utf8'), 'figures');
        assert.equal(await streamText(await download.createReadStream()), 'figures');
      }
      const { downloads } = (await service.call('GET', '/v2/browser?status=active')).body.sessions[0];
      assert.equal(readdirSync(downloads).length, 2);
    } finally {
      await playwright.close();
      rmSync(kept, { recursive: true });
    }
  });

  it("puts Puppeteer's downloads into the temporary folder that it names, under their own names", async () => {
    const puppet = await puppeteer.connect({ browserWSEndpoint: cdpUrl, defaultViewport: null });
    const kept = temporaryFolder();
    const elsewhere = mkdtempSync(join(homedir(), '.web-data-test-'));
    try {
      const [page] = await puppet.pages();
      assert.ok(page);
      await page.setContent('<a download="report.txt" href="data:text/plain,figures">get</a>');
      const browser = await puppet.target().createCDPSession();
      const own = await page.createCDPSession();
      let completed = 0;
      browser.on('Browser.downloadProgress', ({ state }) => {
        if (state === 'completed') completed++;
      });
      const named = (name: string) => ({ behavior: 'allow' as const, downloadPath: join(kept, name) });
      const saved = (...names: string[]) =>
        eventually(() => assert.equal(readFileSync(join(kept, ...names), 'utf8'), 'figures'));
      await browser.send('Browser.setDownloadBehavior', { ...named('new'), eventsEnabled: true });
      await page.click('a');
      await saved('new', 'report.txt');
      await page.click('a');
      await saved('new', 'report (1).txt');
      await own.send('Page.setDownloadBehavior', named('page'));
      await page.click('a');
      await saved('page', 'report.txt');
      await own.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: elsewhere });
      await page.click('a');
      await eventually(() => assert.equal(completed, 4));
      assert.deepEqual(readdirSync(elsewhere), []);
      assert.equal(readdirSync(kept).length, 2);
    } finally {
      await puppet.disconnect();
      for (const folder of [kept, elsewhere]) rmSync(folder, { recursive: true });
    }
  });

  it('writes downloads to no other folder that a client names (CDP-08)', async () => {
    const socket = await open();
    const named = mkdtempSync(join(homedir(), '.web-data-test-'));
    try {
      const send = (id: number, method: string, params: object, sessionId?: string) =>
        answerTo(socket, { id, method, params, ...(sessionId && { sessionId }) });
      await send(1, 'Browser.setDownloadBehavior', {
        behavior: 'allowAndName',
        downloadPath: named,
        eventsEnabled: true,
      });
      const ended = new Promise<void>((resolve) =>
        socket.on('message', (data) => {
          const { method, params } = JSON.parse(String(data));
          if (method === 'Browser.downloadProgress' && params.state === 'completed') resolve();
        }),
      );
      const code = `await page.setContent('<a download="a.txt" href="data:text/plain,a">get</a>'); await page.click('a')`;
      const run = await service.call('POST', `/v2/browser/${id}/execute`, { code });
      assert.equal(run.body.exitCode, 0, JSON.stringify(run.body));
      await ended;
      assert.deepEqual(readdirSync(named), []);
    } finally {
      socket.close();
      rmSync(named, { recursive: true });
    }
  });

  const open = async () => {
    const socket = new WebSocket(cdpUrl);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return socket;
  };
  const answerTo = async (socket: WebSocket, message: object) => {
    const answer = new Promise<Record<string, unknown>>((resolve) =>
      socket.once('message', (data) => resolve(JSON.parse(String(data)))),
    );
    socket.send(JSON.stringify(message));
    return await answer;
  };

  it('refuses commands that would crash the browser or belong to another client, and replies with the original id (CDP-05)', async () => {
    const socket = await open();
    assert.equal((await answerTo(socket, { id: 77, method: 'Browser.getVersion' })).id, 77);
    assert.match(
      JSON.stringify(await answerTo(socket, { id: 78, method: 'Browser.crash' })),
      /"id":78.*Destroy the session/,
    );
    const foreign = await answerTo(socket, {
      id: 79,
      method: 'Runtime.evaluate',
      params: { expression: '1' },
      sessionId: 'ABCDEF',
    });
    assert.match(JSON.stringify(foreign), /Session with given id not found/);
    assert.match(JSON.stringify(await answerTo(socket, { nonsense: true })), /-32600/);
    assert.match(JSON.stringify(await answerTo(socket, { id: 80, method: 'No.suchMethod' })), /"id":80.*error/);
    const deep = JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`);
    const nested = await answerTo(socket, { id: 81, method: 'Browser.getVersion', params: { deep } });
    assert.match(JSON.stringify(nested), /nested deeper than 250.*"id":81|"id":81.*nested deeper than 250/);
    socket.close();
  });

  it("closes a client that doesn't send CDP, and the service continues (CDP-05)", async () => {
    const socket = await open();
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    socket.send('this is no JSON');
    assert.equal(await closed, 1007);
    assert.equal((await service.call('GET', '/v2/browser')).status, 200);
  });

  it('ends the session cleanly when a client closes the browser (CDP-05)', async () => {
    const socket = await open();
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    socket.send(JSON.stringify({ id: 1, method: 'Browser.close' }));
    assert.equal(await closed, 4410);
    const { status, body } = await service.call('POST', `/v2/browser/${id}/execute`, { code: '1' });
    assert.equal(status, 410);
    assert.match(body.error, /closed by a CDP client/);
  });

  it('speaks WebDriver BiDi to clients that begin with it, with or without a session of their own', async () => {
    const answers = async (socket: WebSocket, count: number) => {
      const seen: Record<string, unknown>[] = [];
      for await (const [data] of on(socket, 'message')) {
        const message = JSON.parse(String(data));
        if (message.id !== undefined && seen.push(message) === count) break;
      }
      return seen.sort((one, other) => Number(one.id) - Number(other.id));
    };
    const expecting = await open();
    const tree = answers(expecting, 2);
    expecting.send(JSON.stringify({ id: 1, method: 'browsingContext.getTree', params: {} }));
    expecting.send(JSON.stringify({ id: 2, method: 'session.status', params: {} }));
    const [{ type, result }] = (await tree) as [{ type: string; result: { contexts: { context: string }[] } }];
    assert.equal(type, 'success');
    const context = result.contexts[0]?.context;

    const starting = await open();
    const started = answers(starting, 3);
    starting.send(JSON.stringify({ id: 1, method: 'session.status', params: {} }));
    starting.send(JSON.stringify({ id: 2, method: 'session.new', params: { capabilities: {} } }));
    const evaluate = { expression: "document.title = 'by BiDi'", target: { context }, awaitPromise: false };
    starting.send(JSON.stringify({ id: 3, method: 'no.suchMethod', params: {} }));
    assert.deepEqual(
      (await started).map((answer) => answer.error ?? answer.type),
      ['success', 'success', 'unknown command'],
    );
    const done = answers(starting, 1);
    starting.send(JSON.stringify({ id: 4, method: 'script.evaluate', params: evaluate }));
    await done;
    const run = await service.call('POST', `/v2/browser/${id}/execute`, { code: 'await page.title()' });
    assert.equal(run.body.result, 'by BiDi');

    const left = new Promise((resolve) => starting.once('close', resolve));
    starting.send(JSON.stringify({ id: 5, method: 'session.end', params: {} }));
    await left;
    const ended = new Promise<number>((resolve) => expecting.once('close', resolve));
    // What is still running then harms nobody.
    const endless = { expression: 'new Promise(() => {})', target: { context }, awaitPromise: true };
    expecting.send(JSON.stringify({ id: 4, method: 'script.evaluate', params: endless }));
    expecting.send(JSON.stringify({ id: 3, method: 'browser.close', params: {} }));
    assert.equal(await ended, 4410);
    assert.equal((await service.call('POST', `/v2/browser/${id}/execute`, { code: '1' })).status, 410);
  });

  it("returns 410 when its session has ended, and can't be used by web pages (CDP-02)", async () => {
    const status = (headers: Record<string, string> = {}) =>
      new Promise<number>((resolve, reject) => {
        const socket = new WebSocket(cdpUrl, { headers });
        socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
        socket.on('open', () => resolve(101));
        socket.on('error', reject);
      });
    assert.equal(await status({ origin: service.baseUrl }), 403);
    await service.call('DELETE', `/v2/browser/${id}`);
    assert.equal(await status(), 410);
  });
});
