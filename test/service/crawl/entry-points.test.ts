import assert from 'node:assert/strict';
import { ended, linking, startBatch, startCrawl } from '../../harness/crawl-jobs.ts';
import { type FaultySite, startFaultySite } from '../../harness/faulty-site.ts';
import { call, startTestService, type TestService } from '../../harness/service.ts';

const otherKey = 'other-team-key-0123456789';

describe('every entry point of the service', () => {
  let service: TestService;
  let site: FaultySite;
  before(async () => {
    [service, site] = await Promise.all([startTestService(), startFaultySite()]);
    site.answer('/', linking('Home', '/a'));
    site.answer('/a', linking('A'));
  });
  after(() => Promise.all([service.close(), site.close()]));

  /** Requests that make the service ask a URL of the caller's. */
  const ways: Record<string, (url: string) => [path: string, body: object]> = {
    scrape: (url) => ['/v2/scrape', { url }],
    crawl: (url) => ['/v2/crawl', { url }],
    'a crawl by a prompt': (url) => ['/v2/crawl', { url, prompt: 'only the blog' }],
    map: (url) => ['/v2/map', { url }],
    'params-preview': (url) => ['/v2/crawl/params-preview', { url, prompt: 'only the blog' }],
    'a batch': (url) => ['/v2/batch/scrape', { urls: [url], ignoreInvalidURLs: false }],
    'a webhook of a crawl': (url) => ['/v2/crawl', { url: site.baseUrl, webhook: url }],
    'a webhook of a batch': (url) => ['/v2/batch/scrape', { urls: [site.baseUrl], webhook: { url } }],
  };
  const bad = () => [
    'file:///etc/passwd',
    'data:text/html,x',
    'ftp://site.test/',
    'gopher://site.test/',
    'chrome://version',
    'view-source:http://site.test/',
    'blob:http://site.test/1',
    'javascript:alert(1)',
    'ws://site.test/',
    'http:///',
    'http://site.test:65536/',
    'http://a\0b/',
    `http://site.test/${'x'.repeat(100_000)}`,
    'http://good@127.0.0.1/',
    `http://user:secret@127.0.0.1:${site.port}/a`,
    'http://site.test:0/',
    'http://site.test:22/',
    'http://site.test:25/',
    `http://127.0.0.1\t:${service.port}/`,
    `http://loc\nalhost:${service.port}/`,
    `http:/\\127.1:${service.port}/`,
    `http://0x7f.1:${service.port}/v2/browser`,
    `http://①②⑦.⓪.⓪.①:${service.port}/`,
    `http://[::ffff:7f00:1]:${service.port}/`,
    'http://169.254.169.254\\@site.test/',
    'http://2852039166/latest/meta-data/',
    'http://[::ffff:169.254.169.254]/',
    'http://metadata.google.internal./',
  ];
  for (const [way, requestOf] of Object.entries(ways)) {
    it(`refuses blocked targets: ${way} (SSR-05)`, async () => {
      site.requests.length = 0;
      for (const url of bad()) {
        const [path, body] = requestOf(url);
        const answer = await service.call('POST', path, body);
        const shown = `${answer.status} ${url.slice(0, 80)} ${JSON.stringify(answer.body).slice(0, 200)}`;
        if (answer.status === 200 && way === 'a batch') {
          // A batch continues without its blocked URLs.
          const state = await ended(service, answer.body.id, '/v2/batch/scrape');
          assert.equal(state.completed, 0, shown);
          const errors = (await service.call('GET', `/v2/batch/scrape/${answer.body.id}/errors`)).body.errors;
          assert.deepEqual([errors.length, errors[0]?.code], [1, 'SCRAPE_TARGET_REFUSED'], shown);
        } else {
          assert.ok(answer.status === 400 || answer.status === 403, shown);
          assert.equal(answer.body.success, false, shown);
        }
        assert.ok(!shown.includes('secret@') || url.includes('secret@'), shown);
      }
      assert.deepEqual(site.requests, []);
    });
  }

  it('rejects options that no page can be scraped with before a job starts', async () => {
    site.requests.length = 0;
    for (const [scrapeOptions, expected, words] of [
      [{ formats: ['branding'] }, 400, /"branding"/],
      [{ formats: ['summary'] }, 503, /WEBDATA_LLM_BASE_URL/],
      [{ formats: ['json'] }, 503, /WEBDATA_LLM_BASE_URL/],
    ] as const) {
      for (const [path, body] of [
        ['/v2/scrape', { url: site.baseUrl, ...scrapeOptions }],
        ['/v2/crawl', { url: site.baseUrl, scrapeOptions }],
        ['/v2/batch/scrape', { urls: [site.baseUrl], ...scrapeOptions }],
      ] as const) {
        const answer = await service.call('POST', path, body);
        assert.equal(answer.status, expected, path);
        assert.match(answer.body.error, words);
      }
    }
    assert.deepEqual(site.requests, []);
    assert.deepEqual((await service.call('GET', '/v2/crawl/active')).body.crawls, []);
  });

  it("returns 403 for another team's job on every endpoint", async () => {
    const url = site.baseUrl;
    const scrape = (await service.call('POST', '/v2/scrape', { url })).body.data.metadata.scrapeId;
    const crawl = await startCrawl(service, { url, sitemap: 'skip' });
    const batch = await startBatch(service, { urls: [url] });
    const page = (await ended(service, crawl)).data[0].metadata.scrapeId;
    await ended(service, batch, '/v2/batch/scrape');
    const requests: [string, string, object?][] = [
      ['GET', `/v2/scrape/${scrape}`],
      ['GET', `/v2/scrape/${page}`],
      ['POST', `/v2/scrape/${scrape}/interact`, { code: '1' }],
      ['POST', `/v2/scrape/${page}/interact`, { code: '1' }],
      ['DELETE', `/v2/scrape/${scrape}/interact`],
      ['GET', `/v2/crawl/${crawl}`],
      ['GET', `/v2/crawl/${crawl}/errors`],
      ['DELETE', `/v2/crawl/${crawl}`],
      ['GET', `/v2/batch/scrape/${batch}`],
      ['GET', `/v2/batch/scrape/${batch}/errors`],
      ['DELETE', `/v2/batch/scrape/${batch}`],
      ['POST', '/v2/batch/scrape', { urls: [url], appendToId: batch }],
    ];
    for (const [method, path, body] of requests) {
      const answer = await call<{ success: boolean }>(service.baseUrl, otherKey, method, path, body);
      assert.deepEqual([answer.status, answer.body.success], [403, false], `${method} ${path}`);
    }
  });
});
