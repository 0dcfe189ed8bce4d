import assert from 'node:assert/strict';
import { crawl, linking, pathOf, pathsOf } from '../../harness/crawl-jobs.ts';
import { type FaultySite, page, redirect, startFaultySite, status } from '../../harness/faulty-site.ts';
import { growing } from '../../harness/growing.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { startShopSite } from '../../harness/shop-site.ts';
import { sentenceOf } from '../../harness/trap-site.ts';

describe('map', () => {
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
    assert.deepEqual(paths(links), ['/', '/blog', '/blog/one', '/docs/?x=1', '/listed']);
    assert.equal(links.find(({ url }) => pathOf(url) === '/')?.title, 'Home');
    assert.equal(links.find(({ url }) => pathOf(url) === '/blog')?.title, 'Our blog');
  });

  it('uses only the sitemap, or skips it, and keeps queries, as requested', async () => {
    assert.deepEqual(paths(await map({ sitemap: 'only' })), ['/blog/', '/listed']);
    assert.deepEqual(paths(await map({ sitemap: 'skip' })), ['/', '/blog', '/blog/one', '/docs/?x=1']);
    assert.ok(paths(await map({ ignoreQueryParameters: true })).includes('/docs/'));
    assert.equal((await map({ limit: 2 })).length, 2);
  });

  it('reads lists and their pages, and says what it read and why it stopped', async () => {
    await site.close();
    site = await startShopSite();
    const whole = await service.call('POST', '/v2/map', { url: site.baseUrl });
    const found = paths(whole.body.links);
    assert.equal(found.filter((path) => path.startsWith('/product/')).length, 60);
    assert.ok(found.includes('/shop?page=5'));
    assert.equal(found.filter((path) => path === '/').length, 1);
    assert.equal(whole.body.stopped, 'complete');
    assert.ok(whole.body.read.pages >= 8, JSON.stringify(whole.body.read));
    const some = await service.call('POST', '/v2/map', { url: site.baseUrl, readPages: 1 });
    assert.deepEqual([some.body.stopped, some.body.read.pages], ['readPages', 2]);
    assert.match(
      some.body.warning,
      /^Pages may be missing: only 2 pages were read for their links\. .* set readPages to a higher number\.$/m,
    );
    assert.doesNotMatch(whole.body.warning ?? '', /Pages may be missing/);
    const all = found.map((path) => `<url><loc>${site.baseUrl}${path.replaceAll('&', '&amp;')}</loc></url>`);
    site.answer('/sitemap.xml', page(`<urlset>${all.join('')}</urlset>`));
    const listed = await service.call('POST', '/v2/map', { url: site.baseUrl, readPages: 1 });
    assert.deepEqual([listed.body.stopped, listed.body.links.length], ['readPages', found.length]);
    assert.doesNotMatch(listed.body.warning ?? '', /Pages may be missing/);
    site.answer('/sitemap.xml', status(404));
    const few = await service.call('POST', '/v2/map', { url: site.baseUrl, limit: 3 });
    assert.deepEqual([few.body.stopped, few.body.links.length], ['limit', 3]);
  });

  it('reads pages as a browser shows them, and says what those lack', async () => {
    const filled = (path: string) =>
      page(`<ul id="list"></ul><script>list.innerHTML = '<li><a href="${path}">A page</a></li>'</script>`);
    site.answer('/', filled('/lists/1'));
    site.answer('/lists/1', filled('/item'));
    const button = '<button id="more">Load more</button><script>more.onclick = () => {}</script>';
    site.answer('/item', page(`<main><h1>Item</h1><p>${'Words. '.repeat(60)}</p>${button}</main>`));
    const whole = await service.call('POST', '/v2/map', { url: site.baseUrl, sitemap: 'skip' });
    assert.deepEqual(paths(whole.body.links), ['/', '/item', '/lists/1']);
    assert.match(whole.body.warning, /\/item: The page has a button "Load more", which wasn't clicked/);
    assert.deepEqual(paths(await map({ sitemap: 'skip', fastMode: true })), ['/']);
    const estimate = await service.call('POST', '/embedded/crawl-estimate', { url: site.baseUrl, sitemap: 'skip' });
    assert.equal(estimate.body.matches, 3);
  });

  it('reads pages with the headers or the profile of a login', async () => {
    site.answer('/', (request, response) => {
      const isKnown = request.headers.cookie?.includes('user=ana');
      response
        .writeHead(200, {
          'content-type': 'text/html',
          ...(request.url === '/?login' && { 'set-cookie': 'user=ana; Max-Age=1000' }),
        })
        .end(linking('Home', ...(isKnown ? ['/account'] : ['/login'])));
    });
    assert.deepEqual(paths(await map({ sitemap: 'skip' })), ['/', '/login']);
    assert.deepEqual(paths(await map({ sitemap: 'skip', headers: { cookie: 'user=ana' } })), ['/', '/account']);
    const profile = { name: 'ana', saveChanges: true };
    const login = await service.call('POST', '/v2/scrape', { url: `${site.baseUrl}/?login`, profile });
    assert.equal(login.status, 200);
    assert.deepEqual(paths(await map({ sitemap: 'skip', profile })), ['/', '/account']);
  });

  it('says what its lists have outside of its path, however many URLs these have', async () => {
    const orders = [1, 2, 3, 4, 5, 6, 7].map((number) => `/c/teas?order=${number}`);
    const teas = ['black', 'green', 'white', 'red'].map((name) => `/p/${name}-tea`);
    const items = teas.map((path) => `<li><a href="${path}">${path}</a></li>`).join('');
    site.answer('/c/teas', (_request, response, { search }) => {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<nav>${linking('Orders', ...orders)}</nav><main><h1>Teas ${search}</h1><ul>${items}</ul></main>`);
    });
    const { body } = await service.call('POST', '/v2/map', { url: `${site.baseUrl}/c/teas`, sitemap: 'skip' });
    assert.equal(body.links.length, 8);
    assert.match(
      body.warning,
      /^Lists of the map have pages .*: 4 pages such as \S+-tea\. To get those, start higher up\./,
    );
  });

  it('lists a home page that redirects once', async () => {
    site.answer('/', redirect('/home'));
    site.answer('/home', linking('Home', '/', '/home', '/blog'));
    const home = paths(await map({ sitemap: 'skip' })).filter((path) => path === '/' || path === '/home');
    assert.deepEqual(home, ['/home']);
  });

  it('tells what a crawl would get, and why it would leave pages out', async () => {
    await site.close();
    site = await startShopSite();
    const estimate = async (options: object) => {
      const answer = await service.call('POST', '/embedded/crawl-estimate', { url: site.baseUrl, ...options });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    };
    const products = await estimate({ includePaths: ['^/product(/|$)'], sitemap: 'skip' });
    assert.equal(products.matches, 60);
    assert.ok(products.found > 130, String(products.found));
    const asked = site.requests.length;
    const limited = await estimate({ includePaths: ['^/product(/|$)'], sitemap: 'skip', limit: 50 });
    assert.equal(limited.matches, 50);
    assert.deepEqual(limited.leftOut[0], { ...limited.leftOut[0], reason: 'limit', count: 10, atLeast: false });
    const none = await estimate({ includePaths: ['^/nothing'], sitemap: 'skip' });
    assert.equal(none.matches, 0);
    assert.equal(none.leftOut.find((each: { reason: string }) => each.reason === 'include').examples.length, 3);
    assert.equal(site.requests.length, asked, 'the site was asked again');
    const blocked = await service.call('POST', '/embedded/crawl-estimate', { url: 'http://169.254.169.254/' });
    assert.equal(blocked.status, 403);
  });

  it('lets a sentence ask for the items of a section, and reads its lists only for their links', async () => {
    const posts = Array.from({ length: 12 }, (_, index) => index + 1);
    const links = (some: number[]) => some.map((number) => `/blog/post-${number}`);
    site.answer('/', linking('Home', '/blog'));
    site.answer('/blog', linking('Blog', ...links(posts.slice(0, 6)), '/blog/page/2'));
    site.answer('/blog/page/2', linking('Blog', ...links(posts.slice(6))));
    site.answer('/sitemap.xml', status(404));
    for (const tag of [0, 1, 2])
      site.answer(`/blog/tag/t${tag}`, linking('Tag', ...links(posts.filter((number) => number % 3 === tag))));
    for (const number of posts)
      site.answer(
        `/blog/post-${number}`,
        page(
          `<main><h1>Post ${number}</h1><p>${sentenceOf(number, 60)}</p><a href="/blog/tag/t${number % 3}">Tag</a></main>`,
        ),
      );
    const body = { url: site.baseUrl, prompt: 'the blog posts' };
    const preview = await service.call('POST', '/v2/crawl/params-preview', body);
    const { includePaths } = preview.body.data;
    assert.deepEqual(includePaths, ['^/blog/(?!(page/[^/]+)/?$|(tag)(/|$)).'], JSON.stringify(preview.body));
    const lists = preview.body.lists.map(({ path, pages }: { path: string; pages: number }) => [path, pages]);
    assert.deepEqual(lists.sort(), [
      ['/blog', 1],
      ['/blog/page/2', 1],
      ['/blog/tag', 3],
    ]);
    const asked = site.requests.length;
    const estimated = await service.call('POST', '/embedded/crawl-estimate', { url: site.baseUrl, includePaths });
    assert.deepEqual([estimated.body.matches, site.requests.length], [12, asked]);
    const again = { url: site.baseUrl, includePaths, lookAgain: true };
    assert.equal((await service.call('POST', '/embedded/crawl-estimate', again)).body.matches, 12);
    assert.ok(site.requests.length > asked);
    const state = await crawl(service, { ...body, sitemap: 'skip' });
    assert.deepEqual(pathsOf(state), links(posts).sort());
    assert.ok(state.readForLinks >= 5, String(state.readForLinks));
  });

  it('reads llms.txt beside the sitemap, and names it', async () => {
    site.answer('/llms.txt', page('# Site\n\n- [Hidden](/hidden): a page\n- [Copy](/blog.md)\n- [One](<blog/one>)\n'));
    const { body } = await service.call('POST', '/v2/map', { url: site.baseUrl });
    assert.deepEqual(paths(body.links), ['/', '/blog', '/blog/one', '/docs/?x=1', '/hidden', '/listed']);
    assert.deepEqual([body.read.sitemaps, body.read.files], [1, [`${site.baseUrl}/llms.txt`]]);
    assert.ok(!paths(await map({ sitemap: 'only' })).includes('/hidden'));
  });

  it('lists URLs under the given path', async () => {
    assert.deepEqual(paths(await map({ url: `${site.baseUrl}/blog` })), ['/blog', '/blog/one']);
  });

  it('ranks URLs that match the search first', async () => {
    const { body } = await service.call('POST', '/v2/map', { url: site.baseUrl, search: 'blog one' });
    assert.deepEqual(
      body.links.map(({ url }: { url: string }) => pathOf(url)),
      ['/blog/one', '/blog'],
    );
    assert.equal(body.warning, "3 of 5 URLs contain no word of `search` and aren't listed.");
    const none = await service.call('POST', '/v2/map', { url: site.baseUrl, search: 'zeppelin' });
    assert.equal(none.body.links.length, 5);
    assert.match(none.body.warning, /^No URL, title or description contains/);
  });

  it('fetches no page that robots.txt forbids except the start page', async () => {
    site.answer('/robots.txt', page('User-agent: *\nDisallow: /blog'));
    await map();
    assert.ok(!site.requests.includes('/blog'));
    site.answer('/', linking('Home', '/blog'));
    const { body } = await service.call('POST', '/v2/map', { url: site.baseUrl, sitemap: 'skip', readPages: 0 });
    assert.equal(body.stopped, 'complete');
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
    assert.deepEqual([none.status, none.body.code, none.body.error], [408, 'MAP_TIMEOUT', 'Map timed out']);
    site.answer('/', linking('Home', '/listed'));
    site.answer('/sitemap.xml', () => undefined);
    await growing(500, async (timeout) => {
      const some = await service.call('POST', '/v2/map', { url: site.baseUrl, timeout });
      assert.equal(some.status, 200);
      assert.match(some.body.warning, /timeout was reached/);
    });
    const only = await service.call('POST', '/v2/map', { url: site.baseUrl, timeout: 100, sitemap: 'only' });
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
      sources: found.body.sources,
    });
    assert.deepEqual(Object.keys(found.body.sources).sort(), ['delay', 'excludePaths', 'includePaths', 'limit']);
    const partly = await preview('everything except the help center, with screenshots');
    assert.deepEqual(partly.body, {
      success: true,
      data: { url: `${site.baseUrl}/`, crawlEntireDomain: true, excludePaths: ['^/help-center(/|$)'] },
      sources: { crawlEntireDomain: ['everything'], excludePaths: ['help center'] },
      notUnderstood: ['with screenshots'],
    });
    site.answer('/manual', linking('Manual', '/manual/old-parts/a'));
    const below = await service.call('POST', '/v2/crawl/params-preview', {
      url: `${site.baseUrl}/manual`,
      prompt: 'skip the old parts and the weblog',
    });
    assert.deepEqual(below.body.data.excludePaths, ['^/manual/old-parts(/|$)', '^/weblog(/|$)']);
    const lacking = await preview('all products, at most 9 pages');
    assert.deepEqual([lacking.body.data.limit, lacking.body.data.includePaths.length], [9, 1]);
    assert.deepEqual(lacking.body.notFound, ['all products']);
    const nothing = await preview('tell me a joke');
    assert.deepEqual([nothing.status, nothing.body.notUnderstood], [200, ['tell me a joke']]);
    assert.equal((await preview('x'.repeat(10_001))).status, 400);
    await site.close();
    const offline = await preview('only the recipes');
    assert.deepEqual([offline.body.data.includePaths, offline.body.notFound], [['^/recipes(/|$)'], ['recipes']]);
    site = await startFaultySite();
  });
});
