import assert from 'node:assert/strict';
import { linking, pathOf } from '../../harness/crawl-jobs.ts';
import { type FaultySite, page, startFaultySite, status } from '../../harness/faulty-site.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

describe('map', function () {
  this.timeout(60_000);
  let service: TestService;
  let site: FaultySite;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());
  beforeEach(async () => {
    site = await startFaultySite();
    site.answer('/', linking('Home', '/blog', '/docs/?x=1', 'https://elsewhere.test/', '/picture.png', '/blog#top'));
    site.answer('/blog', linking('Our blog', '/blog/one'));
    site.answer(
      '/sitemap.xml',
      page(`<urlset><url><loc>${site.baseUrl}/listed</loc></url><url><loc>${site.baseUrl}/blog/</loc></url></urlset>`),
    );
  });
  afterEach(() => site.close());
  const map = async (options: object = {}) => {
    const { status: code, body } = await service.call('POST', '/v2/map', { url: site.baseUrl, ...options });
    assert.equal(code, 200, JSON.stringify(body));
    assert.equal(body.success, true);
    assert.match(body.id, /^[0-9a-f-]{36}$/);
    return body.links as { url: string; title?: string }[];
  };
  const paths = (links: { url: string }[]) => links.map(({ url }) => pathOf(url)).sort();

  it('lists URLs from sitemaps and pages once each, with known titles', async () => {
    const links = await map();
    assert.deepEqual(paths(links), ['/', '/blog', '/blog/one', '/docs/', '/listed']);
    assert.equal(links.find(({ url }) => pathOf(url) === '/')?.title, 'Home');
    assert.equal(links.find(({ url }) => pathOf(url) === '/blog')?.title, 'Our blog');
  });

  it('uses only the sitemap, or skips it, and keeps queries, as requested', async () => {
    assert.deepEqual(paths(await map({ sitemap: 'only' })), ['/blog/', '/listed']);
    assert.deepEqual(paths(await map({ sitemap: 'skip' })), ['/', '/blog', '/blog/one', '/docs/']);
    assert.ok(paths(await map({ ignoreQueryParameters: false })).includes('/docs/?x=1'));
    assert.equal((await map({ limit: 2 })).length, 2);
  });

  it('lists URLs under the given path', async () => {
    assert.deepEqual(paths(await map({ url: `${site.baseUrl}/blog` })), ['/blog', '/blog/one']);
  });

  it('ranks URLs that match the search first', async () => {
    const links = await map({ search: 'blog one' });
    assert.deepEqual(
      links.map(({ url }) => pathOf(url)),
      ['/blog/one', '/blog'],
    );
  });

  it('fetches no page that robots.txt forbids except the start page', async () => {
    site.answer('/robots.txt', page('User-agent: *\nDisallow: /blog'));
    await map();
    assert.ok(!site.requests.includes('/blog'));
  });

  it("is billed, and reports why a site doesn't respond", async () => {
    const used = async () =>
      (await service.call('GET', '/v2/team/token-usage/historical')).body.periods.at(-1).totalTokens as number;
    const before = await used();
    await map();
    assert.equal(await used(), before + 15);
    const { body } = await service.call('GET', '/v2/team/activity?endpoint=map&limit=1');
    assert.equal(body.data[0].target, site.baseUrl);
    await site.close();
    const gone = await service.call('POST', '/v2/map', { url: site.baseUrl });
    assert.equal(gone.body.success, false);
    assert.ok(gone.status >= 400);
    site = await startFaultySite({ otherwise: status(404) });
    const empty = await service.call('POST', '/v2/map', { url: site.baseUrl });
    assert.equal(empty.body.code, 'MAP_FAILED');
    assert.match(empty.body.error, /status 404/);
  });

  it('returns what it found when the time is up, or 408 if that is nothing', async () => {
    site.answer('/', () => undefined);
    const none = await service.call('POST', '/v2/map', { url: site.baseUrl, timeout: 1, sitemap: 'skip' });
    assert.deepEqual([none.status, none.body.code], [408, 'MAP_TIMEOUT']);
    site.answer('/', linking('Home', '/listed'));
    site.answer('/sitemap.xml', () => undefined);
    const some = await service.call('POST', '/v2/map', { url: site.baseUrl, timeout: 3000 });
    assert.equal(some.status, 200);
    assert.match(some.body.warning, /timeout was reached/);
    const only = await service.call('POST', '/v2/map', { url: site.baseUrl, timeout: 1000, sitemap: 'only' });
    assert.equal(only.status, 408);
    assert.equal(only.body.code, 'MAP_TIMEOUT');
  });

  it('generates crawl parameters from a sentence and the sections of the site', async () => {
    site.answer('/', linking('Home', '/weblog/a', '/help-center/b', '/internal'));
    const preview = async (prompt: string) =>
      await service.call('POST', '/v2/crawl/params-preview', { url: site.baseUrl, prompt });
    const found = await preview(
      'Only the help center, nothing under /internal, thirty pages, and wait a second between requests',
    );
    assert.equal(found.status, 200);
    assert.deepEqual(found.body, {
      success: true,
      data: {
        url: `${site.baseUrl}/`,
        includePaths: ['^/help-center(/|$)'],
        excludePaths: ['^/internal(/|$)'],
        limit: 30,
        delay: 1,
      },
    });
    const partly = await preview('everything except the help center, with screenshots');
    assert.deepEqual(partly.body, {
      success: true,
      data: { url: `${site.baseUrl}/`, crawlEntireDomain: true, excludePaths: ['^/help-center(/|$)'] },
      notUnderstood: ['with screenshots'],
    });
    site.answer('/manual', linking('Manual', '/manual/old-parts/a'));
    const below = await service.call('POST', '/v2/crawl/params-preview', {
      url: `${site.baseUrl}/manual`,
      prompt: 'skip the old parts and the weblog',
    });
    assert.deepEqual(below.body.data.excludePaths, ['^/manual/old-parts(/|$)', '^/weblog(/|$)']);
    const nothing = await preview('tell me a joke');
    assert.equal(nothing.status, 400);
    assert.equal(nothing.body.error, 'Failed to process natural language prompt. Please try rephrasing.');
    assert.equal((await preview('x'.repeat(10_001))).status, 400);
    await site.close();
    const offline = await preview('only the recipes');
    assert.deepEqual(offline.body.data.includePaths, ['^/recipes(/|$)']);
    site = await startFaultySite();
  });
});
