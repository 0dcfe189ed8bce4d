import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scrapeOptions } from '../../src/contract/scrape/scrape.ts';
import { cdpEndpoint } from '../../src/service/chrome/remote/cdp-endpoint.ts';
import { systemClock } from '../../src/service/clock.ts';
import { always } from '../../src/service/language-model/models.ts';
import { silentLog } from '../../src/service/log.ts';
import { modelExtractor } from '../../src/service/scrape/model-formats/model-formats.ts';
import { openWebAccess } from '../../src/service/scrape/scrape.ts';
import { startCdpEndpoint } from '../harness/cdp-endpoint.ts';
import { startChromium } from '../harness/chromium.ts';
import { type FaultySite, startFaultySite } from '../harness/faulty-site.ts';
import { temporaryFolder } from '../harness/folders.ts';
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

describe('--deny-private-targets', function () {
  this.timeout(60_000);
  let site: FaultySite;
  beforeEach(async () => {
    site = await startFaultySite();
  });
  afterEach(() => site.close());

  async function attack(service: TestService): Promise<string> {
    const { id } = (await service.call('POST', '/v2/browser', {})).body;
    const { body } = await service.call('POST', `/v2/browser/${id}/execute`, {
      code: attempts(site.baseUrl),
      timeout: 30,
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
    const web = openWebAccess({
      provider: cdpEndpoint({ endpoint: chromium.cdpUrl }),
      dataDir,
      browsersDir: dataDir,
      markerName: 'WEBDATA_TEST',
      ownPorts: () => [],
      denyPrivate: true,
      proxy: undefined,
      extractor: modelExtractor(always(undefined)),
      versions: { find: async () => undefined, store: async () => undefined, urls: async () => [] },
      clock: systemClock,
      log: silentLog,
      resolve: async (host) => [{ address: host.startsWith('public') ? '93.184.216.34' : '10.0.0.1', family: 4 }],
    });
    try {
      const at = (host: string, path: string) => `http://${host}.test:${site.port}${path}`;
      site.answer('/top', `<h1>Top</h1><iframe src="${at('public-2', '/inner')}"></iframe>`);
      site.answer('/inner', `<img src="${at('private', '/image')}"><iframe src="${at('private', '/frame')}"></iframe>`);
      const { document } = await web.scraper.scrape({
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
      await web.close();
      await chromium.kill();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
