import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { startChromium, type TestChromium } from '../../harness/chromium.ts';
import { crawl } from '../../harness/crawl-jobs.ts';
import { type FaultySite, redirect, startFaultySite } from '../../harness/faulty-site.ts';
import { selfSigned } from '../../harness/self-signed.ts';
import { chosenBrowsers, startTestService, type TestService } from '../../harness/service.ts';

describe('browsers for scrapes', () => {
  let site: FaultySite;
  before(async () => {
    site = await startFaultySite();
    site.answer('/app', '<div id="root"></div><script>root.innerHTML = "<h1>Filled</h1>"</script>');
    site.answer('/asks', (request, response) => {
      const { to } = Object.fromEntries(new URL(request.url ?? '', 'http://x').searchParams);
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(
          `<div id="root"></div><script>fetch('${to}', { mode: 'no-cors' }).then(() => 'reached', () => 'no').then((text) => { root.innerText = text; })</script>`,
        );
    });
  });
  after(() => site.close());

  describe('without Chrome', () => {
    let service: TestService;
    before(async () => {
      service = await startTestService({ chromePath: '/nowhere/chrome' });
    });
    after(() => service.close());

    it('returns the page as fetched, with a warning', async () => {
      const { body } = await service.call('POST', '/v2/scrape', { url: `${site.baseUrl}/app` });
      assert.equal(body.success, true);
      assert.match(body.data.warning, /couldn't be rendered/);
    });
    it('crawls pages as fetched, with a warning on each', async () => {
      const script = '<script>list.innerHTML = "<li>Filled</li>"</script>';
      const path = (number: number) => `/without/${number}`;
      for (let number = 1; number <= 6; number++) {
        const links = `<a href="${path(number + 1)}">Next</a>`;
        site.answer(path(number), `<h1>Page ${number}</h1>${number < 6 ? links : ''}<ul id="list"></ul>${script}`);
      }
      const { data } = await crawl(service, { url: site.baseUrl + path(1), crawlEntireDomain: true, sitemap: 'skip' });
      assert.equal(data.length, 6);
      for (const { warning, metadata } of data) {
        assert.match(warning, /couldn't be rendered/);
        assert.deepEqual([metadata.readAs, metadata.readBecause], ['fetched', 'renderingFailed']);
      }
    });
    it('reports what is missing for options that need Chrome', async () => {
      const { status, body } = await service.call('POST', '/v2/scrape', {
        url: `${site.baseUrl}/app`,
        formats: ['screenshot'],
      });
      assert.deepEqual([status, body.code], [503, 'NO_BROWSER']);
    });
  });

  describe('behind an endpoint', () => {
    let chromium: TestChromium;
    let service: TestService;
    before(async () => {
      chromium = await startChromium();
      service = await startTestService({ browserEndpoint: chromium.cdpUrl });
    });
    after(async () => {
      await service.close();
      await chromium.kill();
    });
    const scrape = async (path: string) =>
      (await service.call('POST', '/v2/scrape', { url: site.baseUrl + path })).body;

    it('render', async () => assert.equal((await scrape('/app')).data.markdown, '# Filled'));
    it("can't reach blocked addresses", async () => {
      const own = `http://127.0.0.1:${service.port}/`;
      assert.equal((await scrape(`/asks?to=${encodeURIComponent(own)}`)).data.markdown, 'no');
      assert.equal((await scrape(`/asks?to=${encodeURIComponent('http://169.254.169.254/')}`)).data.markdown, 'no');
      assert.equal((await scrape(`/asks?to=${encodeURIComponent(`${site.baseUrl}/plain`)}`)).data.markdown, 'reached');
      site.answer('/to-own', redirect(own));
      const { code } = (await service.call('POST', '/v2/scrape', { url: `${site.baseUrl}/to-own`, waitFor: 1 })).body;
      assert.equal(code, 'SCRAPE_TARGET_REFUSED');
    });
    it('survive the end of their browser', async () => {
      await chromium.kill();
      const failed = await service.call('POST', '/v2/scrape', { url: `${site.baseUrl}/app`, waitFor: 1 });
      assert.equal(failed.body.success, false);
    });
  });

  describe('on a profile', () => {
    let service: TestService;
    before(async () => {
      service = await startTestService(chosenBrowsers);
    });
    after(() => service.close());

    it("can't reach blocked addresses", async () => {
      const to = encodeURIComponent(`http://127.0.0.1:${service.port}/`);
      const { body } = await service.call('POST', '/v2/scrape', {
        url: `${site.baseUrl}/asks?to=${to}`,
        profile: { name: 'p' },
      });
      assert.equal(body.data.markdown, 'no');
    });
    it("don't wait for a session that saves the same profile", async () => {
      const url = `${site.baseUrl}/app`;
      const session = await service.call('POST', '/v2/browser', { profile: { name: 'busy' } });
      const { status, body } = await service.call('POST', '/v2/scrape', { url, profile: { name: 'busy' } });
      assert.deepEqual([status, body.code], [409, 'PROFILE_IN_USE']);
      await service.call('DELETE', `/v2/browser/${session.body.id}`);
    });
  });

  describe('through --proxy', () => {
    it('use the proxy, as fetches do', async () => {
      const asked: string[] = [];
      const proxy = createServer((request, response) => {
        asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`);
        const status = request.url?.endsWith('/page') ? 200 : 502;
        response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>By proxy</h1>');
      });
      proxy.on('connect', (request, client) => {
        asked.push(`CONNECT ${request.url}`);
        client.end('HTTP/1.1 502 No\r\n\r\n');
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      const { port } = proxy.address() as { port: number };
      const service = await startTestService({ ...chosenBrowsers, proxy: `http://me:pass@127.0.0.1:${port}` });
      try {
        const basic = `Basic ${Buffer.from('me:pass').toString('base64')}`;
        for (const options of [{}, { waitFor: 1 }]) {
          asked.length = 0;
          const { body } = await service.call('POST', '/v2/scrape', {
            url: 'http://elsewhere.invalid/page',
            ...options,
          });
          assert.equal(body.data.markdown, '# By proxy', body.error);
          assert.equal(asked[0], `GET http://elsewhere.invalid/page ${basic}`);
          const { body: doubtful } = await service.call('POST', '/v2/scrape', {
            url: 'http://elsewhere.invalid/gone',
            ...options,
          });
          assert.equal(
            doubtful.data.warning,
            `The status 502 may be from the proxy at 127.0.0.1:${port}, not from the site.`,
          );
          asked.length = 0;
          const failed = await service.call('POST', '/v2/scrape', { url: 'https://elsewhere.invalid/', ...options });
          assert.equal(failed.body.success, false);
          assert.equal(asked[0], 'CONNECT elsewhere.invalid:443');
        }
        const advertising = '<h1>Page</h1><script src="http://ads.doubleclick.net/ad.js"></script>';
        site.answer('/advertising', advertising);
        for (const blockAds of [true, false]) {
          asked.length = 0;
          const url = `${site.baseUrl}/advertising`;
          assert.match(
            (await service.call('POST', '/v2/scrape', { url, waitFor: 1, blockAds })).body.data.markdown,
            /Page/,
          );
          assert.equal(asked.filter((line) => line.includes('doubleclick')).length, blockAds ? 0 : 1);
        }
        asked.length = 0;
        const { body } = await service.call('POST', '/v2/scrape', { url: `${site.baseUrl}/plain`, waitFor: 1 });
        assert.match(body.data.markdown, /Plain page/);
        assert.deepEqual(asked, []);
      } finally {
        await service.close();
        proxy.closeAllConnections();
        proxy.close();
      }
    });
  });

  describe('over TLS', () => {
    it('accept any certificate unless data is at risk, in HTTP/1.1 and 2', async () => {
      const versions: string[] = [];
      const secure = createSecureServer({ ...selfSigned, allowHTTP1: true }, (request, response) => {
        versions.push(request.httpVersion);
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end('<h1>Secure</h1>');
      });
      await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
      const url = `https://127.0.0.1:${(secure.address() as { port: number }).port}/`;
      const service = await startTestService(chosenBrowsers);
      try {
        for (const options of [{}, { waitFor: 1 }]) {
          assert.equal((await service.call('POST', '/v2/scrape', { url, ...options })).body.data.markdown, '# Secure');
          for (const careful of [{ skipTlsVerification: false }, { headers: { authorization: 'x' } }]) {
            const { status, body } = await service.call('POST', '/v2/scrape', { url, ...options, ...careful });
            assert.deepEqual(
              [status, body.code],
              [500, 'SCRAPE_SSL_ERROR'],
              JSON.stringify({ ...options, ...careful }),
            );
          }
        }
        assert.ok(versions.includes('2.0'));
      } finally {
        await service.close();
        secure.close();
      }
    });
  });
});
