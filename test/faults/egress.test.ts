import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { WebSocket } from 'ws';
import { scrapeOptions } from '../../src/contract/scrape/scrape.ts';
import { cdpEndpoint } from '../../src/service/browsers/chrome/remote/cdp-endpoint.ts';
import { systemClock } from '../../src/service/platform/clock.ts';
import { silentLog } from '../../src/service/platform/log.ts';
import { openNetwork } from '../../src/service/platform/network/network.ts';
import { modelExtractor } from '../../src/service/web/scrape/model-formats/model-formats.ts';
import { openScraper } from '../../src/service/web/scrape/scrape.ts';
import { startCdpEndpoint } from '../harness/cdp-endpoint.ts';
import { startChromium } from '../harness/chromium.ts';
import { patience } from '../harness/eventually.ts';
import { type FaultySite, startFaultySite } from '../harness/faulty-site.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { freePort } from '../harness/free-port.ts';
import { patient } from '../harness/patient.ts';
import { startTestService, type TestService } from '../harness/service.ts';

/** Code that tries to reach a URL in every way that a page can. */
const attempts = (url: string) => `
  const reached = [];
  const tried = async (name, work) => { try { await work(); } catch (error) { reached.push(name + ': ' + error.message.split('\\n')[0]); } };
  const load = (target) => Promise.race([target.waitForLoadState('networkidle'), new Promise((done) => setTimeout(done, 1500))]);
  await page.setContent('<a href="${url}/click">go</a><iframe src="${url}/frame"></iframe><img src="${url}/image">' +
    '<script>fetch("${url}/fetch", { mode: "no-cors" }).catch(() => {}); new WebSocket("${url.replace('http', 'ws')}/socket"); new Worker(URL.createObjectURL(new Blob(["fetch(\\'${url}/worker\\', { mode: \\'no-cors\\' }); new WebSocket(\\'${url.replace('http', 'ws')}/worker-socket\\')"])));</script>');
  await load(page);
  await tried('click', () => page.click('a', { timeout: 2000 }));
  await load(page);
  await tried('goto', () => page.goto('${url}/goto', { timeout: 5000 }));
  const other = await browser.newContext();
  const popup = await other.newPage();
  await tried('context', () => popup.goto('${url}/context', { timeout: 5000 }));
  await other.close();
  reached.join(' | ')`;

describe('--deny-private-targets', () => {
  let site: FaultySite;
  beforeEach(async () => {
    site = await startFaultySite();
  });
  afterEach(() => site.close());

  async function attack(service: TestService): Promise<string> {
    const { id } = (await service.call('POST', '/v2/browser', {})).body;
    const { body } = await service.call('POST', `/v2/browser/${id}/execute`, {
      code: attempts(site.baseUrl),
      timeout: 120,
    });
    assert.equal(body.error, undefined, body.error);
    assert.match(body.result, /goto: .*context: /);
    assert.deepEqual(site.requests, []);
    return id;
  }

  describe('on this machine', () => {
    let service: TestService;
    let upstream: Server;
    const asked: string[] = [];
    before(async () => {
      upstream = createServer((request, response) => {
        asked.push(request.url ?? '');
        response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Public</h1>');
      });
      await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
      const proxy = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
      service = await startTestService({ denyPrivateTargets: true, proxy });
    });
    after(async () => {
      await service.close();
      upstream.close();
    });

    it('F8: binds sessions: pages, frames, workers, sockets and other contexts (SSR-03)', async () => {
      const id = await attack(service);
      const code = `(await page.goto('http://93.184.216.34/'), await page.textContent('h1'))`;
      const { body } = await service.call('POST', `/v2/browser/${id}/execute`, { code });
      assert.equal(body.result, 'Public', JSON.stringify(body));
      assert.deepEqual(
        asked.filter((url) => !url.includes('favicon')),
        ['http://93.184.216.34/'],
      );
    });

    it('F8: cannot be left with a proxy of one’s own', async () => {
      const { id } = (await service.call('POST', '/v2/browser', {})).body;
      const code = `await browser.newContext({ proxy: { server: 'http://127.0.0.1:${site.port}' } })`;
      const { body } = await service.call('POST', `/v2/browser/${id}/execute`, { code });
      assert.match(body.error, /--deny-private-targets/);
    });
  });

  describe('at cdpUrl', () => {
    let service: TestService;
    let cdpUrl: string;
    before(async () => {
      service = await startTestService({ denyPrivateTargets: true });
      ({ cdpUrl } = (await service.call('POST', '/v2/browser', {})).body);
    });
    after(() => service.close());

    it('refuses commands that connect past the checks, and all that it does not know (CDP-09)', async () => {
      const socket = new WebSocket(cdpUrl);
      await once(socket, 'open');
      let id = 0;
      const send = async (method: string, params: object = {}) => {
        const answer = once(socket, 'message');
        socket.send(JSON.stringify({ id: ++id, method, params }));
        return JSON.parse(String((await answer)[0]));
      };
      const port = { host: '127.0.0.1', port: site.port };
      for (const [method, params] of [
        ['Target.setRemoteLocations', { locations: [port] }],
        ['Tethering.bind', { port: await freePort() }],
        ['Target.exposeDevToolsProtocol', { targetId: 'x' }],
        ['Target.sendMessageToTarget', { message: '{}' }],
        ['Target.openDevTools', { targetId: 'x' }],
        ['Extensions.loadUnpacked', { path: '/tmp' }],
        ['Network.loadNetworkResource', { url: site.baseUrl, options: {} }],
        ['Future.connect', port],
        ['constructor', {}],
        ['Target.createTarget', { url: 'chrome://inspect' }],
        ['Target.createTarget', { url: ' Chrome://net-export' }],
        ['Page.navigate', { url: 'devtools://devtools/bundled/inspector.html' }],
        ['Page.navigate', { url: 'file://127.0.0.1/share' }],
        ['Target.createBrowserContext', { proxyServer: `127.0.0.1:${site.port}` }],
        ['Target.createBrowserContext', { proxyBypassList: '<-loopback>' }],
      ] as const)
        assert.match((await send(method, params)).error?.message ?? '', /--deny-private-targets/, method);
      assert.ok((await send('Target.getTargets')).result);
      socket.close();
      assert.deepEqual(site.requests, []);
    });

    it('takes no proxy and no address of a language model from a request (SSR-12, SSR-13)', async () => {
      const json = { type: 'json', schema: { type: 'object' } };
      for (const [path, body] of [
        ['/v2/scrape', { url: site.baseUrl, proxy: site.baseUrl }],
        ['/v2/scrape', { url: site.baseUrl, proxy: { server: site.baseUrl } }],
        ['/v2/crawl', { url: site.baseUrl, scrapeOptions: { proxyUrl: site.baseUrl } }],
        ['/v2/browser', { proxy: site.baseUrl }],
        ['/v2/scrape', { url: site.baseUrl, formats: [{ ...json, baseUrl: site.baseUrl }] }],
        ['/v2/scrape', { url: site.baseUrl, formats: [{ ...json, model: { baseURL: site.baseUrl } }] }],
        ['/v2/agent', { prompt: 'Tell', baseUrl: site.baseUrl }],
      ] as const)
        assert.equal((await service.call('POST', path, body)).status, 400, JSON.stringify(body));
      assert.deepEqual(site.requests, []);
    });

    it('passes what Playwright, Puppeteer and BiDi clients send', async () => {
      const page = 'data:text/html,<title>shown</title><input><iframe srcdoc=x></iframe>';
      const browser = await chromium.connectOverCDP(cdpUrl, { timeout: patience });
      const context = patient(
        await browser.newContext({ viewport: { width: 300, height: 200 }, locale: 'de', offline: false }),
      );
      await context.addCookies([{ name: 'a', value: 'b', url: 'http://public.test/' }]);
      await context.grantPermissions(['clipboard-read']);
      const playwright = await context.newPage();
      await playwright.route('**/*', (route) => route.continue());
      await playwright.goto(page);
      await playwright.fill('input', 'typed');
      assert.equal(await playwright.inputValue('input'), 'typed');
      await playwright.screenshot();
      await playwright.pdf();
      assert.equal((await context.cookies()).length, 1);
      await context.close();
      await browser.close();
      for (const protocol of ['cdp', 'webDriverBiDi'] as const) {
        const puppet = await puppeteer.connect({ browserWSEndpoint: cdpUrl, protocol });
        const other = await puppet.createBrowserContext();
        const puppetPage = await other.newPage();
        await puppetPage.setViewport({ width: 300, height: 200 });
        await puppetPage.goto(page);
        await puppetPage.type('input', 'typed');
        assert.equal(await puppetPage.title(), 'shown');
        await puppetPage.screenshot();
        await other.close();
        await puppet.disconnect();
      }
    });
  });

  it('F8: binds sessions whose browser runs elsewhere', async () => {
    const grid = await startCdpEndpoint();
    const service = await startTestService({ denyPrivateTargets: true, browserEndpoint: `${grid.origin}/` });
    try {
      await attack(service);
    } finally {
      await service.close();
      await grid.close();
    }
  });

  it('F8: binds frames of other sites in renders by a browser that runs elsewhere', async () => {
    const chromium = await startChromium('--host-resolver-rules=MAP *.test 127.0.0.1');
    const dataDir = temporaryFolder();
    const network = openNetwork({
      denyPrivateTargets: true,
      proxy: undefined,
      ownPorts: () => [],
      resolve: async (host) => [{ address: host.startsWith('public') ? '93.184.216.34' : '10.0.0.1', family: 4 }],
    });
    const scraper = openScraper({
      network,
      provider: cdpEndpoint(chromium.cdpUrl),
      dataDir,
      browsersDir: dataDir,
      markerName: 'WEBDATA_TEST',
      extractor: modelExtractor({ find: () => undefined }),
      versions: { find: async () => undefined, store: async () => undefined, urls: async () => [] },
      clock: systemClock,
      log: silentLog,
    });
    try {
      const at = (host: string, path: string) => `http://${host}.test:${site.port}${path}`;
      site.answer('/top', `<h1>Top</h1><iframe src="${at('public-2', '/inner')}"></iframe>`);
      site.answer('/inner', `<img src="${at('private', '/image')}"><iframe src="${at('private', '/frame')}"></iframe>`);
      const { document } = await scraper.scrape({
        url: at('public', '/top'),
        options: scrapeOptions.parse({ waitFor: 1000 }),
        team: 'default',
        signal: new AbortController().signal,
      });
      assert.equal(document.markdown, '# Top');
      assert.deepEqual(
        site.requests.filter((path) => path !== '/favicon.ico'),
        ['/top', '/inner'],
      );
    } finally {
      await scraper.close();
      await network.close();
      await chromium.kill();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
