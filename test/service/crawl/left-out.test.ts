import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { crawl, ended, linking, pageRequests, pathOf, pathsOf, startCrawl } from '../../harness/crawl-jobs.ts';
import { bytes, type FaultySite, page, raw, redirect, status } from '../../harness/faulty-site.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { startShopSite } from '../../harness/shop-site.ts';
import { sentenceOf } from '../../harness/trap-site.ts';

interface Left {
  reason: string;
  count: number;
  atLeast: boolean;
  examples: string[];
}

describe('what a crawl includes and leaves out', () => {
  let service: TestService;
  let site: FaultySite;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());
  beforeEach(async () => {
    site = await startShopSite();
  });
  afterEach(() => site.close());

  const products = { includePaths: ['^/product(/|$)'], sitemap: 'skip' };
  const left = (state: { leftOut: Left[] }, reason: string) => state.leftOut.find((each) => each.reason === reason);

  const numbers = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index);

  /** Adds a product under several URLs, which names the first one as its own. */
  function addProduct(number: number, ...paths: string[]): void {
    const head = `<title>${number}</title><link rel="canonical" href="${site.baseUrl}${paths[0]}">`;
    for (const path of paths)
      site.answer(path, page(`${head}<main><h1>Product ${number}</h1><p>${sentenceOf(number, 60)}</p></main>`));
  }

  /** Adds lists that link products only under URLs of their own. */
  function addLists(lists: Record<string, number[]>, language = ''): void {
    for (const [list, own] of Object.entries(lists)) {
      const paths = own.map((number) => `${language}${list}/product/${number}`);
      site.answer(language + list, linking(list, ...paths));
      for (const [at, number] of own.entries()) addProduct(number, `${language}/product/${number}`, paths[at] ?? '');
    }
  }

  it('reads lists that include paths leave out for their links', async () => {
    const state = await crawl(service, { url: site.baseUrl, ...products });
    assert.equal(state.status, 'completed');
    assert.equal(pathsOf(state).length, 60);
    assert.ok(pathsOf(state).every((path) => path.startsWith('/product/')));
    assert.deepEqual([state.completed, state.total, state.creditsUsed], [60, 60, 60]);
    assert.ok(state.readForLinks >= 8 && state.readForLinks <= 40, String(state.readForLinks));
    assert.equal(pageRequests(site).length, 60 + 1 + state.readForLinks);
    const include = left(state, 'include');
    assert.deepEqual([include?.count, include?.atLeast, include?.examples.length], [8 + 30 + 40, false, 3]);
    // Ten posts and ten pages of the docs lead nowhere.
    const unread = left(state, 'unread');
    assert.deepEqual([unread?.count, unread?.atLeast, unread?.examples.length], [20 + 30, false, 3]);
    assert.deepEqual(left(state, 'host')?.examples, ['https://elsewhere.test/partner']);
  });

  it('gets the pages that lists link only under other URLs, also after others that are known', async () => {
    const lists = ['/group/red', '/group/blue'];
    site.answer('/', linking('Home', ...lists, ...numbers(12).map((number) => `/product/${number}`)));
    for (const [at, list] of lists.entries()) {
      // Those that the home page leads to are the first of their list.
      const own = numbers(40).filter((number) => number % 2 === at);
      addLists({ [list]: own });
    }
    const expected = numbers(40).map((number) => `/product/${number}`);
    for (const options of [{}, { deduplicateSimilarURLs: false }])
      assert.deepEqual(pathsOf(await crawl(service, { url: site.baseUrl, ...products, ...options })), expected.sort());
    const one = await crawl(service, {
      url: `${site.baseUrl}/group/red/product/14`,
      crawlEntireDomain: true,
      ...products,
    });
    assert.deepEqual(pathsOf(one), ['/product/14']);
    // What another version of a page is called may not be there.
    const head = `<link rel="canonical" href="${site.baseUrl}/product/99">`;
    site.answer('/', linking('Home', '/old/99', '/product/1'));
    site.answer('/old/99', page(`${head}<main><h1>Old</h1><p>${sentenceOf(99, 60)}</p></main>`));
    const { failed, completed } = await crawl(service, { url: site.baseUrl, ...products });
    assert.deepEqual([failed ?? 0, completed, site.requests.includes('/product/99')], [0, 1, false]);
  });

  it('reads all lists that link pages only under other URLs, also those after which others led nowhere at first', async () => {
    const lists = Object.fromEntries(numbers(14).map((at) => [`/group/g${at}`, numbers(5, at * 5)]));
    addLists(lists);
    site.answer('/', linking('Home', '/group'));
    site.answer('/group', linking('Groups', ...Object.keys(lists)));
    const state = await crawl(service, { url: site.baseUrl, ...products });
    const expected = numbers(70, 5).map((number) => `/product/${number}`);
    assert.deepEqual(pathsOf(state), expected.sort());
    assert.deepEqual([left(state, 'unread'), state.readForLinks], [undefined, 1 + 14 + 70]);
  });

  it('reads the lists of a kind that led to pages again if the next of them had only what is known', async () => {
    const lists = numbers(32).map((at) => `/collections/c${at}`);
    site.answer('/', linking('Home', '/collections'));
    site.answer('/collections', linking('Collections', ...lists));
    // Most have the same products; the last ones have others.
    for (const [at, list] of lists.entries()) {
      const own = at < 30 ? numbers(8) : numbers(8, at * 8);
      site.answer(list, linking(list, ...own.map((number) => `/product/${number}`)));
      for (const number of own) addProduct(number, `/product/${number}`);
    }
    const state = await crawl(service, { url: site.baseUrl, ...products });
    assert.equal(state.completed, 24);
    assert.deepEqual([left(state, 'unread'), state.readForLinks], [undefined, 33]);
  });

  it('counts what was left because similar pages led nowhere without saying that the crawl is cut or lacks pages', async () => {
    site.answer('/', linking('Home', '/blog'));
    site.answer('/blog', linking('Blog', ...numbers(30).map((number) => `/blog/${number}`), '/shop'));
    for (const number of numbers(30)) site.answer(`/blog/${number}`, linking(`Post ${number}`));
    for (const number of numbers(3)) addProduct(number, `/product/${number}`);
    for (const [found, limit] of [
      [3, 3],
      [0, 100],
    ] as const) {
      site.answer('/shop', linking('Shop', ...numbers(found).map((number) => `/product/${number}`)));
      const state = await crawl(service, { url: site.baseUrl, ...products, limit });
      assert.deepEqual([state.completed, left(state, 'limit'), left(state, 'unread')?.count], [found, undefined, 20]);
      assert.doesNotMatch(state.warning ?? '', /links were not read|20 pages/);
    }
  });

  it('knows pages under other URLs also by a part in the middle of the path, as in a shop of many languages', async () => {
    addLists({ '/group/red': numbers(15), '/group/blue': numbers(15, 11) }, '/en');
    site.answer('/', linking('Home', '/en/group/red', '/en/group/blue'));
    const state = await crawl(service, { url: site.baseUrl, sitemap: 'skip', includePaths: ['^/en/product/'] });
    assert.equal(state.completed, 25);
  });

  it('reads what lists link under other URLs in vain no longer than others, so that lists with more are left', async () => {
    const known = numbers(60).map((number) => `/product/${number}`);
    const groups = [...'abcdefgh'].map((name) => `/group/${name}`);
    const brands = [...'abcdefgh'].map((name) => `/brands/${name}`);
    const pathsBy = (brand: number) => numbers(3).map((number) => `/product/${100 + brand * 10 + number}`);
    site.answer('/', linking('Home', ...known, ...groups, '/brands'));
    site.answer('/brands', linking('Brands', ...brands));
    const item = (path: string) => {
      const head = `<title>${path}</title><link rel="canonical" href="${site.baseUrl}${path}">`;
      const number = Number(path.slice(9));
      return page(`${head}<main><h1>Product ${number}</h1><p>${sentenceOf(number, 60)}</p></main>`);
    };
    for (const group of groups) {
      site.answer(group, linking(group, ...known.map((path) => group + path)));
      for (const path of known) site.answer(group + path, item(path));
    }
    for (const [at, brand] of brands.entries()) site.answer(brand, linking(brand, ...pathsBy(at)));
    const all = [...known, ...brands.flatMap((_, at) => pathsBy(at))];
    for (const path of all) site.answer(path, item(path));
    const state = await crawl(service, { url: site.baseUrl, ...products });
    assert.deepEqual(pathsOf(state), all.sort());
    // A page that calls itself the home page, as all of some sites do, doesn't lead to it.
    const head = `<link rel="canonical" href="${site.baseUrl}/">`;
    site.answer(
      '/start',
      page(`${head}<main><h1>Start</h1><p>${sentenceOf(1, 60)}</p><a href="/product/1">1</a></main>`),
    );
    const start = { url: `${site.baseUrl}/start`, crawlEntireDomain: true, sitemap: 'skip', limit: 9 };
    assert.deepEqual(pathsOf(await crawl(service, { ...start, includePaths: ['^/$', '^/product/1$'] })), [
      '/product/1',
    ]);
    // Those that lead back, or aren't there, are no pages of the crawl that failed.
    site.answer('/', linking('Home', '/group/a'));
    for (const [at, path] of known.entries())
      site.answer(
        path,
        at % 2 === 0 ? redirect(`/group/a${path}`) : (_, response) => void response.writeHead(404).end(),
      );
    const { status: how, completed, failed } = await crawl(service, { url: site.baseUrl, ...products });
    assert.deepEqual([how, completed, failed ?? 0], ['completed', 0, 0]);
  });

  it('reads such lists only as deep as links are followed, and not if only the sitemap counts', async () => {
    const shallow = await crawl(service, { url: site.baseUrl, ...products, maxDiscoveryDepth: 2 });
    assert.equal(shallow.completed, 12);
    assert.equal(left(shallow, 'depth'), undefined);
    site.answer('/sitemap.xml', page(`<urlset><url><loc>${site.baseUrl}/shop</loc></url></urlset>`));
    const listed = await crawl(service, { url: site.baseUrl, ...products, sitemap: 'only' });
    assert.equal(listed.completed, 0);
    assert.equal(listed.readForLinks, undefined);
    assert.match(listed.warning, /^No page was crawled\. .* 1 page that includePaths doesn't match, such as http/);
  });

  it('says which pages only a form leads to, in crawls and maps', async () => {
    const years = [2023, 2024, 2025].map((year) => `<option>${year}</option>`).join('');
    const list = `<form action="/reports"><select name="year">${years}</select><button>Show</button></form>`;
    site.answer('/', page(`<title>Home</title><main><p>All our reports.</p>${list}</main>`));
    const said =
      /Only a form leads to 3 pages, .* the choices of "year" on http\S+\. .* such as http\S+\/reports\?year=2025$/m;
    assert.match((await crawl(service, { url: site.baseUrl, sitemap: 'skip' })).warning ?? '', said);
    const { body } = await service.call('POST', '/v2/map', { url: site.baseUrl, sitemap: 'skip' });
    assert.match(body.warning ?? '', said);
  });

  it('says so of lists that would lead to more pages of the crawl, though include paths leave the lists out', async () => {
    const years = [2022, 2023, 2024].map((year) => `<option${year === 2024 ? ' selected' : ''}>${year}</option>`);
    const forms = `<form><select name="year">${years.join('')}</select><button>Show</button></form>`;
    site.answer('/', linking('Home', '/shows', '/dealers'));
    site.answer('/shows', page(`<title>Shows</title><main><p>All.</p>${forms}<a href="/shows/one">One</a></main>`));
    site.answer('/shows/one', linking('One'));
    site.answer('/dealers', page(`<title>Dealers</title><main><p>All.</p>${forms.replace('year', 'town')}</main>`));
    const { warning } = await crawl(service, { url: site.baseUrl, includePaths: ['^/shows/.'], sitemap: 'skip' });
    assert.match(warning ?? '', /Only a form leads to 2 pages, .* "year" .* such as http\S+\/shows\?year=2023$/m);
  });

  it('reads lists until the limit is reached, however many of the pages that they lead to are copies', async () => {
    const text = 'A long text about a thing, which says the same on both of its pages. '.repeat(5);
    const lists = [1, 2, 3, 4];
    site.answer('/', linking('Home', '/list/1'));
    for (const list of lists) site.answer(`/list/${list}`, linking(`List ${list}`, `/p/${list}`, `/list/${list + 1}`));
    for (const each of lists) {
      const copies = [1, 2, 3].map((copy) => `<a href="/p/${each}?print=${copy}">Print</a>`).join(' ');
      const content = `<h1>P ${each}</h1><p>${each} ${text}</p>${copies}`;
      site.answer(`/p/${each}`, page(`<title>P ${each}</title><main>${content}</main>`));
    }
    const state = await crawl(service, { url: site.baseUrl, includePaths: ['^/p/'], limit: 4, sitemap: 'skip' });
    assert.deepEqual(pathsOf(state), ['/p/1', '/p/2', '/p/3', '/p/4']);
  });

  it('says so of no pages that other pages or sitemaps lead to, or that were not asked for', async () => {
    const options = [1, 2, 3].map((part) => `<option value="/parts/${part}">${part}</option>`).join('');
    const select = `<select id="parts">${options}</select>`;
    site.answer('/', page(`<title>Home</title><main><p>All parts.</p>${select}<a href="/all">All</a></main>`));
    const before = linking('All', '/other');
    const warningsOf = async (options: object = {}) => {
      const { body } = await service.call('POST', '/v2/map', { url: site.baseUrl });
      return [(await crawl(service, { url: site.baseUrl, ...options })).warning, body.warning];
    };
    site.answer('/all', before);
    for (const said of await warningsOf()) assert.match(said ?? '', /Only a form leads to 3 pages/);
    assert.doesNotMatch((await warningsOf({ excludePaths: ['^/parts'] }))[0] ?? '', /form/);
    assert.doesNotMatch((await warningsOf({ maxDiscoveryDepth: 0 }))[0] ?? '', /form/);
    site.answer('/all', linking('All', '/parts/1', '/parts/2', '/parts/3'));
    for (const said of await warningsOf()) assert.doesNotMatch(said ?? '', /form/);
    site.answer('/all', before);
    const urls = [1, 2, 3].map((part) => `<url><loc>${site.baseUrl}/parts/${part}</loc></url>`);
    site.answer('/sitemap.xml', page(`<urlset>${urls.join('')}</urlset>`));
    for (const said of await warningsOf()) assert.doesNotMatch(said ?? '', /form/);
  });

  it('takes what is beside the content of its pages for no lists of others', async () => {
    const posts = [1, 2, 3, 4];
    site.answer('/', linking('Home', ...posts.map((post) => `/blog/${post}`)));
    for (const post of posts) {
      const related = [1, 2, 3].map((each) => `<li><a href="/tea/${post}${each}">Tea ${post}${each}</a></li>`);
      const text = `<p>${'How we make our tea in the hills, with much sun and little rain. '.repeat(8)}</p>`;
      const beside = `<aside><h2>See also</h2><ul>${related.join('')}</ul></aside>`;
      site.answer(
        `/blog/${post}`,
        page(`<title>Post ${post}</title><main><h1>Post ${post}</h1>${text}</main>${beside}`),
      );
    }
    const options = { url: site.baseUrl, includePaths: ['^/blog'], sitemap: 'skip', deduplicateSimilarURLs: false };
    const { completed, warning } = await crawl(service, options);
    assert.deepEqual([completed, warning ?? undefined], [4, undefined]);
  });

  it('reads no list that robots.txt disallows', async () => {
    site.answer('/robots.txt', page('User-agent: *\nDisallow: /shop'));
    const without = await crawl(service, { url: site.baseUrl, ...products, ignoreRobotsTxt: true });
    assert.equal(without.completed, 60);
    const forbidden = await crawl(service, { url: site.baseUrl, ...products });
    assert.equal(forbidden.completed, 0);
    assert.deepEqual(left(forbidden, 'robots')?.examples.map(pathOf), ['/shop']);
    assert.ok(!left(forbidden, 'include')?.examples.map(pathOf).includes('/shop'));
  });

  it('gets the pages that llms.txt names before those of the sitemap, if it has a limit', async () => {
    // Links of the start page could reach the limit first.
    site.answer('/', linking('Home'));
    const urls = Array.from({ length: 10 }, (_, index) => `<url><loc>${site.baseUrl}/listed/${index}</loc></url>`);
    site.answer('/sitemap.xml', page(`<urlset>${urls.join('')}</urlset>`));
    site.answer('/llms.txt', page('# Docs\n\n- [Guide](/guide)\n'));
    for (const path of ['/guide', ...urls.map((_, index) => `/listed/${index}`)]) site.answer(path, linking(path));
    const { status, data } = await crawl(service, { url: `${site.baseUrl}/`, limit: 3 });
    assert.equal(status, 'completed');
    assert.ok(pathsOf({ data }).includes('/guide'), pathsOf({ data }).join(' '));
  });

  it('finds pages in llms.txt beside the sitemap', async () => {
    site.answer('/', linking('Home'));
    site.answer('/llms.txt', page('# Shop\n\n- [Tea](/product/1): a tea\n- [Copy](/product/2.md)\n'));
    const crawled = async (options: object = {}) => pathsOf(await crawl(service, { url: site.baseUrl, ...options }));
    const found = await crawled({ limit: 2 });
    assert.equal(found.length, 2);
    assert.ok((await crawled()).includes('/product/1'));
    assert.deepEqual(await crawled({ sitemap: 'skip' }), ['/']);
    site.answer('/sitemap.xml', page(`<urlset><url><loc>${site.baseUrl}/product/3</loc></url></urlset>`));
    assert.ok(!(await crawled({ sitemap: 'only', limit: 1 })).includes('/product/1'));
  });

  it('reads no llms.txt that robots.txt disallows', async () => {
    site.answer('/robots.txt', page('User-agent: *\nDisallow: /llms'));
    site.answer('/', linking('Home'));
    site.answer('/llms.txt', page('# Shop\n\n- [Tea](/product/1): a tea\n'));
    assert.deepEqual(pathsOf(await crawl(service, { url: site.baseUrl })), ['/']);
    assert.ok(!site.requests.includes('/llms.txt'));
  });

  it('stops reading pages that lead nowhere', async () => {
    const posts = Array.from({ length: 400 }, (_, index) => `/blog/post-${index}`);
    site.answer('/blog', linking('Blog', ...posts));
    for (const post of posts) site.answer(post, linking(post, '/'));
    const state = await crawl(service, { url: site.baseUrl, ...products, includePaths: ['^/nowhere'] });
    assert.equal(state.completed, 0);
    assert.match(state.warning, /^No page was crawled\. The crawl found and left out \d+ pages that includePaths/);
    assert.ok(state.readForLinks <= 50, String(state.readForLinks));
  });

  it('finds what only further pages of lists lead to though queries are ignored, in crawls and maps', async () => {
    const ignoring = { url: site.baseUrl, sitemap: 'skip', ignoreQueryParameters: true };
    const paths = ['/', '/blog', '/docs', '/shop'];
    const isCrawled = (path: string) => paths.includes(path) || /^\/(product|blog|docs)\/[\w-]+$/.test(path);
    const whole = await crawl(service, ignoring);
    assert.equal(whole.completed, 4 + 60 + 30 + 40);
    assert.ok(pathsOf(whole).every(isCrawled), String(pathsOf(whole)));
    assert.deepEqual(
      whole.leftOut.map(({ reason }: Left) => reason),
      ['host'],
    );
    assert.equal(whole.warning ?? undefined, undefined);
    const included = await crawl(service, { ...ignoring, ...products });
    assert.deepEqual([included.completed, included.warning ?? undefined], [60, undefined]);
    assert.equal(left(included, 'query'), undefined);
    const map = (await service.call('POST', '/v2/map', ignoring)).body;
    assert.equal(map.links.length, 4 + 60 + 30 + 40);
    assert.equal(map.links.find(({ url }: { url: string }) => pathOf(url) === '/shop').title, 'Shop, page 1');
    assert.deepEqual([map.stopped, map.warning], ['complete', undefined]);
    const shallow = await crawl(service, { ...ignoring, maxDiscoveryDepth: 1 });
    assert.equal(shallow.readForLinks, undefined);
    const first = await crawl(service, { ...ignoring, limit: 10 });
    assert.deepEqual([first.completed, left(first, 'limit')?.atLeast], [10, true]);
  });

  it('says what is left out because queries are ignored, each once', async () => {
    const views = Array.from({ length: 100 }, (_, index) => `/view.php?id=${index + 1}`);
    const shirts = ['/shirt?color=red', '/shirt?color=blue&utm_source=x', '/shirt?utm_source=y'];
    const others = ['/private?id=1', '/private?id=2', '/lone?id=1', '/lone?id=1&utm_source=x'];
    site.answer('/robots.txt', page('User-agent: *\nDisallow: /private'));
    site.answer('/', linking('Home', '/more', ...views, ...shirts, ...others));
    site.answer('/more', linking('More', ...[...views].reverse(), ...shirts, '/shirt', ...others));
    for (const path of ['/view.php', '/shirt', '/lone']) site.answer(path, linking(path));
    const ignoring = { url: site.baseUrl, sitemap: 'skip', ignoreQueryParameters: true };
    const state = await crawl(service, ignoring);
    assert.equal(state.completed, 5);
    assert.equal(left(state, 'query')?.count, 99 + 1);
    assert.equal(state.readForLinks, undefined);
    const { links, warning } = (await service.call('POST', '/v2/map', ignoring)).body;
    assert.equal(links.length, 6);
    assert.match(
      warning,
      /^ignoreQueryParameters left out 101 URLs that differ from others only in the query, such as http\S+ set it to false to list all\.$/m,
    );
    const { leftOut } = await crawl(service, { ...ignoring, includePaths: ['^/more'] });
    assert.deepEqual(
      leftOut.map(({ reason, count }: Left) => [reason, count]),
      [
        ['include', 3],
        ['robots', 1],
      ],
    );
  });

  it('soon ends a list without end whose query is ignored', async () => {
    site.answer('/product/1', linking('Product'));
    site.answer('/shop', (_request, response, url) => {
      const next = Number(url.searchParams.get('page') ?? 1) + 1;
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(linking(`Shop ${next}`, '/product/1', `/shop?page=${next}`, `/shop?color=red&page=${next}`));
    });
    const ignoring = { url: `${site.baseUrl}/shop`, sitemap: 'skip', ignoreQueryParameters: true };
    const state = await crawl(service, { ...ignoring, crawlEntireDomain: true });
    assert.equal(state.completed, 2);
    assert.ok(state.readForLinks <= 15, String(state.readForLinks));
    const { stopped, read } = (await service.call('POST', '/v2/map', ignoring)).body;
    assert.equal(stopped, 'complete');
    assert.ok(read.pages <= 8, String(read.pages));
  });

  it('counts the lists as unread of a host that refuses to show more', async () => {
    const lists = numbers(12).map((number) => `/list/${number}`);
    site.answer('/', linking('Home', '/product/1', ...lists));
    addProduct(1, '/product/1');
    for (const list of lists) site.answer(list, status(429, { 'retry-after': '3600' }));
    const state = await crawl(service, { url: site.baseUrl, ...products });
    assert.deepEqual([state.completed, left(state, 'unread')?.count], [1, 12]);
  });

  it('reports a list that failed without counting it as a page', async () => {
    site.answer('/shop', status(500));
    const id = await startCrawl(service, { url: `${site.baseUrl}/blog`, crawlEntireDomain: true, ...products });
    const state = await ended(service, id);
    assert.match(state.error, /\/shop: The page returned 500/);
    assert.equal(state.completed, 0);
    const { errors } = (await service.call('GET', `/v2/crawl/${id}/errors`)).body;
    assert.deepEqual(errors, []);
  });

  it('says what the limit left out, and goes on with a higher one', async () => {
    const shop = { url: site.baseUrl, includePaths: ['^/product(/|$)'], sitemap: 'skip' };
    const id = (await service.call('POST', '/v2/crawl', { ...shop, limit: 10 })).body.id as string;
    const state = await ended(service, id);
    assert.deepEqual([state.completed, state.total, state.pageLimit], [10, 10, 10]);
    const limit = left(state, 'limit');
    assert.deepEqual([limit?.count, limit?.atLeast], [2, true]);
    const go = (body: object) => service.call('POST', `/embedded/crawl/${id}/continue`, body);
    assert.equal((await go({ limit: 10 })).status, 400);
    const gone = await go({ limit: 100 });
    assert.deepEqual([gone.status, gone.body], [200, { success: true, id, limit: 100 }]);
    const whole = await ended(service, id);
    assert.deepEqual([whole.status, whole.completed, whole.creditsUsed], ['completed', 60, 60]);
    assert.equal(whole.pageLimit, 100);
    assert.equal(new Set(pathsOf(whole)).size, 60);
    assert.equal(left(whole, 'limit'), undefined);
    const again = await go({});
    assert.deepEqual(
      [again.status, again.body.error],
      [409, 'The crawl found no more pages. Start a new one to look again.'],
    );
  });

  it('stores no copies of earlier pages when it goes on, as if it had been one crawl', async () => {
    const posts = Array.from({ length: 12 }, (_, number) => `/post/${number}`);
    site.answer('/', linking('Home', ...posts, ...posts.map((path) => `${path}?share=1`)));
    for (const [number, path] of posts.entries())
      site.answer(path, (_request, response) =>
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`<title>Post</title><main><h1>Post</h1><p>${sentenceOf(number, 60)}</p></main>`),
      );
    const options = { url: site.baseUrl, sitemap: 'skip', maxConcurrency: 1 };
    const id = await startCrawl(service, { ...options, limit: 8 });
    assert.equal((await ended(service, id)).completed, 8);
    for (const limit of [10, 100]) {
      await service.call('POST', `/embedded/crawl/${id}/continue`, { limit });
      await ended(service, id);
    }
    const whole = await ended(service, id);
    assert.deepEqual(pathsOf(whole), ['/', ...posts].sort());
    assert.deepEqual(pathsOf(await crawl(service, { ...options, limit: 100 })), pathsOf(whole));
  });

  it('says that pages beyond the limit may lead to more, unless no links are followed', async () => {
    const crawl = async (options: object) =>
      left(await ended(service, await startCrawl(service, { url: site.baseUrl, limit: 2, ...options })), 'limit');
    assert.equal((await crawl({ sitemap: 'skip' }))?.atLeast, true);
    assert.equal((await crawl({ sitemap: 'skip', maxDiscoveryDepth: 1 }))?.atLeast, false);
    const listed = ['/shop', '/blog', '/docs'].map((path) => `<url><loc>${site.baseUrl}${path}</loc></url>`);
    site.answer('/sitemap.xml', `<urlset>${listed.join('')}</urlset>`);
    const ofSitemap = await crawl({ sitemap: 'only' });
    assert.deepEqual([ofSitemap?.count, ofSitemap?.atLeast], [1, false]);
  });

  it('goes on after a limit that was reached with as many pages as were known, with lists left to read', async () => {
    site.answer('/', linking('Home', '/product/1', '/product/2', '/more'));
    site.answer('/more', linking('More', '/product/3'));
    const shop = { url: site.baseUrl, includePaths: ['^/product(/|$)'], sitemap: 'skip', limit: 2 };
    const id = await startCrawl(service, shop);
    const state = await ended(service, id);
    assert.equal(state.completed, 2);
    assert.deepEqual(left(state, 'limit'), { reason: 'limit', count: 0, atLeast: true, examples: [] });
    assert.equal(left(state, 'unread')?.examples.map(pathOf)[0], '/more');
    await service.call('POST', `/embedded/crawl/${id}/continue`, { limit: 100 });
    const whole = await ended(service, id);
    assert.deepEqual([whole.completed, left(whole, 'limit')], [60, undefined]);
  });

  it('offers no more after a limit if the only list left to read failed', async () => {
    site.answer('/', linking('Home', '/product/1', '/more', '/lists'));
    site.answer('/more', status(404));
    site.answer('/lists', linking('Lists', '/product/2'));
    site.answer('/product/1', linking('One'));
    site.answer('/product/2', linking('Two'));
    const shop = { url: site.baseUrl, includePaths: ['^/product(/|$)'], sitemap: 'skip', limit: 2, maxConcurrency: 1 };
    const state = await crawl(service, shop);
    assert.equal(state.completed, 2);
    assert.deepEqual([left(state, 'limit'), left(state, 'unread')?.examples.map(pathOf)], [undefined, ['/more']]);
  });

  it('takes up pages that were found far beyond the limit', async () => {
    const many = Array.from({ length: 300 }, (_, index) => `/item/${index}`);
    site.answer('/', linking('Home', ...many));
    for (const path of many) site.answer(path, linking(path));
    const id = (await service.call('POST', '/v2/crawl', { url: site.baseUrl, limit: 2, sitemap: 'skip' })).body.id;
    assert.equal(left(await ended(service, id), 'limit')?.count, 299);
    await service.call('POST', `/embedded/crawl/${id}/continue`, { limit: 1000 });
    assert.equal((await ended(service, id)).completed, 301);
  });

  it('counts what else it left out, with examples', async () => {
    site.answer('/', linking('Home', '/a', '/b/c/d', '/skip/me', '/gone', '/other/place', '/twin', '/copy'));
    site.answer('/a', linking('A', '/deep'));
    site.answer('/twin', (_request, response) => response.writeHead(302, { location: '/a' }).end());
    const state = await crawl(service, {
      url: site.baseUrl,
      excludePaths: ['^/skip'],
      maxDepth: 2,
      maxDiscoveryDepth: 1,
      sitemap: 'skip',
    });
    const paths = Object.fromEntries(
      (state.leftOut as Left[]).map(({ reason, count, examples }) => [reason, [count, ...examples.map(pathOf)]]),
    );
    assert.deepEqual(paths.exclude, [1, '/skip/me']);
    assert.deepEqual(paths.depth, [2, '/deep', '/b/c/d']);
    assert.deepEqual(paths.failure?.[0], 3);
    assert.deepEqual(paths.duplicate?.[0], 1);
    const section = await crawl(service, { url: `${site.baseUrl}/a`, includePaths: ['^/product'], sitemap: 'skip' });
    assert.match(
      section.warning,
      /outside the path of the start URL, which a start URL higher up or crawlEntireDomain would include/,
    );
    site.answer('/docs/v2/intro', linking('Intro', '/docs/v2/setup', '/docs/v2/api', '/'));
    const below = await crawl(service, { url: `${site.baseUrl}/docs/v2/intro`, sitemap: 'skip' });
    assert.equal(below.completed, 1);
    assert.match(
      below.warning,
      /^Only the start page was crawled: 3 other pages that were found are outside its path\. To get those beside it, start at http\S+\/docs\/v2\/\.$/,
    );
    assert.equal(below.redirectedTo, undefined);
    site.answer('/old/intro', (_request, response) => response.writeHead(301, { location: '/docs/v2/intro' }).end());
    const moved = await crawl(service, { url: `${site.baseUrl}/old/intro`, sitemap: 'skip' });
    assert.equal(moved.redirectedTo, `${site.baseUrl}/docs/v2/intro`);
    assert.match(moved.warning, /start at http\S+\/docs\/v2\/\.$/);
  });

  it('names what left pages out of a crawl with one page, which may be another one than its start page', async () => {
    site.answer('/docs/v2/intro', linking('Intro', '/docs/v2/intro/a', '/docs/v2/intro/b', '/docs/v2/setup', '/'));
    for (const path of ['/docs/v2/intro/a', '/docs/v2/intro/b']) site.answer(path, linking(path));
    const warningOf = async (options: object) => {
      const all = { url: `${site.baseUrl}/docs/v2/intro`, sitemap: 'skip', ...options };
      const state = await crawl(service, all);
      assert.equal(state.completed, 1);
      return state.warning ?? '';
    };
    const paths = /^Only 1 page was crawled\. .* left out .*2 pages outside the path of the start URL/;
    const included = await warningOf({ includePaths: ['/a$'] });
    assert.match(included, paths);
    assert.match(included, /left out 1 page that includePaths doesn't match, such as \S+\/b;/);
    const excluded = await warningOf({ excludePaths: ['/intro/'] });
    assert.match(excluded, paths);
    assert.match(excluded, /2 pages that excludePaths matches/);
    site.answer('/robots.txt', page('User-agent: *\nDisallow: /docs/v2/intro/'));
    const url = `${site.baseUrl.replace('127.0.0.1', 'localhost')}/docs/v2/intro`;
    assert.match(await warningOf({ url }), /^Only 1 page was crawled\. .* 2 pages that robots\.txt disallows/);
    // One page is what these ask for.
    for (const options of [{ limit: 1 }, { maxDiscoveryDepth: 0 }])
      assert.doesNotMatch(await warningOf(options), /outside/);
  });

  it('says what its lists have on other paths, however many pages it has', async () => {
    const lists = ['/c/pots', '/c/pots?page=2', '/c/pots?page=3'];
    site.answer('/start', linking('Start', '/c/pots', '/p/2', '/p/3'));
    site.answer('/c/pots', (_request, response, url) => {
      const first = Number(url.searchParams.get('page') ?? 1) * 2;
      const items = [first, first + 1].flatMap((number) => [`/c/pots/${number}`, `/p/${number}`]);
      response.writeHead(200, { 'content-type': 'text/html' }).end(linking(`Pots ${first}`, ...lists, ...items));
    });
    for (const number of [2, 3, 4, 5, 6, 7]) {
      const notes = ['/help/fire', '/help/water', '/help/tea'].map((path) => `<a href="${path}">${path}</a>`).join(' ');
      site.answer(
        `/c/pots/${number}`,
        page(`<h1>Pot ${number}</h1><p>${`Words of pot ${number}. `.repeat(20)}${notes}`),
      );
      site.answer(`/p/${number}`, linking(`Another pot ${number}`));
    }
    const options = { url: `${site.baseUrl}/start`, sitemap: 'skip', crawlEntireDomain: true };
    const state = await crawl(service, { ...options, includePaths: ['^/c/pots'] });
    assert.equal(state.completed, 9);
    assert.match(
      state.warning,
      /^Lists of the crawl have pages that includePaths doesn't match: 6 pages such as \S+\/p\/\d\. To get those, add a pattern that matches them to includePaths\.$/,
    );
    const whole = await crawl(service, { ...options, includePaths: ['^/c/pots', '^/p/'] });
    assert.deepEqual([whole.completed, whole.warning], [15, undefined]);
  });

  it('says which sitemaps could not be read, and reads those of the site to which its start page redirects', async () => {
    const away = site.baseUrl.replace('127.0.0.1', 'localhost');
    const isAway = ({ headers }: IncomingMessage) => headers.host?.startsWith('localhost') === true;
    site.answer('/', (...args) => (isAway(args[0]) ? page(linking('Home')) : redirect(`${away}/`))(...args));
    site.answer('/robots.txt', (...args) =>
      page(isAway(args[0]) ? 'Sitemap: /away.xml' : 'Sitemap: /fails.xml\nSitemap: /gone.xml')(...args),
    );
    site.answer('/fails.xml', status(500, { 'retry-after': '0' }));
    site.answer('/away.xml', page(`<urlset><url><loc>${away}/listed</loc></url></urlset>`));
    site.answer('/listed', linking('Listed'));
    const state = await crawl(service, { url: `${site.baseUrl}/` });
    assert.deepEqual(pathsOf(state), ['/', '/listed']);
    const lacks = 'A sitemap could not be read as a whole, so pages may be missing: ';
    assert.equal(state.warning, `${lacks}${site.baseUrl}/fails.xml: it returned status 500, and 1 more`);
    const { body } = await service.call('POST', '/v2/map', { url: `${site.baseUrl}/` });
    assert.deepEqual(body.links.map(({ url }: { url: string }) => url).sort(), [`${away}/`, `${away}/listed`]);
    assert.match(body.warning, /fails\.xml: This sitemap could not be read as a whole: it returned status 500\. /);
  });

  it('says that a page is behind a login, also if the login is outside the crawl, and counts files', async () => {
    site.answer('/', linking('Home', '/member/a', '/member/b', '/member/all.zip', '/member/photo.png', '/other.zip'));
    for (const path of ['/member/a', '/member/b']) site.answer(path, redirect('/login'));
    site.answer('/login', '<form><input name="user"><input type="password"></form>');
    site.answer('/member', linking('Member', '/member/a', '/member/b', '/member/all.zip', '/other.zip'));
    for (const options of [{ includePaths: ['^/member'] }, { url: `${site.baseUrl}/member` }]) {
      const state = await crawl(service, { url: site.baseUrl, sitemap: 'skip', ...options });
      assert.deepEqual(left(state, 'login')?.examples.map(pathOf), ['/member/a', '/member/b']);
      assert.equal(left(state, 'failure'), undefined);
      const files = left(state, 'file')?.examples.map(pathOf) ?? [];
      // In the second crawl, the other one is outside its path.
      assert.deepEqual(files, 'url' in options ? ['/member/all.zip'] : ['/other.zip', '/member/all.zip']);
    }
  });

  it('says that a map could not read a page for its links', async () => {
    site.answer('/', linking('Home', '/list', '/gone', '/item'));
    site.answer('/list', status(500));
    site.answer('/item', linking('Item'));
    const { body } = await service.call('POST', '/v2/map', { url: site.baseUrl, sitemap: 'skip' });
    assert.match(body.warning, /^http\S+\/list: The page could not be read for its links: \S+ returned status 500\.$/);
  });

  it('fetches a page that failed for a reason that may pass once more, after the others', async () => {
    const fails = { '/once': 502, '/unavailable': 503, '/always': 500, '/gone': 404 };
    site.answer('/', linking('Home', ...Object.keys(fails), '/cut', '/item'));
    site.answer('/item', linking('Item'));
    for (const [path, code] of Object.entries(fails)) {
      let asked = 0;
      const isPassing = path === '/once' || path === '/unavailable';
      site.answer(path, (...args) => {
        const isOver = isPassing && asked++ > 0;
        return (isOver ? page(linking(path, `/behind${path}`)) : status(code))(...args);
      });
      site.answer(`/behind${path}`, linking(`Behind ${path}`));
    }
    let cut = 0;
    site.answer('/cut', (...args) =>
      (cut++ === 0 ? raw('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n<h1>') : page(linking('Cut')))(...args),
    );
    const state = await crawl(service, { url: site.baseUrl, sitemap: 'skip' });
    assert.deepEqual(pathsOf(state).slice(1), [
      '/behind/once',
      '/behind/unavailable',
      '/cut',
      '/item',
      '/once',
      '/unavailable',
    ]);
    assert.deepEqual(left(state, 'failure')?.examples.map(pathOf).sort(), ['/always', '/gone']);
    const asked = (path: string) => site.requests.filter((each) => each === path).length;
    assert.deepEqual(['/once', '/always', '/gone', '/cut'].map(asked), [2, 2, 1, 2]);
    // A start page as well: otherwise there would be nothing.
    let starts = 0;
    site.answer('/start', (...args) => (starts++ === 0 ? status(502) : page(linking('Start')))(...args));
    assert.equal((await crawl(service, { url: `${site.baseUrl}/start`, sitemap: 'skip' })).completed, 1);
  });

  it('follows what the head of a page declares, and pages that are named like scripts', async () => {
    const head = `<link rel="next" href="/page/2"><link rel="alternate" hreflang="de" href="/de">
      <link rel="alternate" type="application/rss+xml" href="/feed"><link rel="stylesheet" href="/style.css">`;
    const body = `<a href="/wiki/Node.js">Node.js</a> <a href="/photo.jpg">A photo</a> <a href="/wait">Wait</a> <a href="/rss">News</a>
      <template><a href="/{{link}}">Filled in later</a></template>
      <div><template shadowrootmode="open"><a href="/shadow">Shown</a></template></div>`;
    const feed = '<rss><channel><link>/</link><item><link><![CDATA[/aside?a=1&b=2]]></link></item></channel></rss>';
    site.answer('/rss', bytes(Buffer.from(feed), 'application/rss+xml'));
    site.answer('/aside', linking('An aside'));
    site.answer('/wait', page('<title>Wait</title><p>Please wait</p>', { refresh: '0; url=/target' }));
    site.answer(
      '/',
      `<!doctype html><title>Home</title>${head}<main><h1>Home</h1><p>The words of the home.</p>${body}`,
    );
    for (const path of ['/page/2', '/de', '/wiki/Node.js', '/feed', '/photo.jpg', '/shadow', '/target'])
      site.answer(path, linking(path));
    const state = await crawl(service, { url: site.baseUrl, sitemap: 'skip' });
    assert.deepEqual(state.data.map(({ metadata }: { metadata: { url: string } }) => pathOf(metadata.url)).sort(), [
      '/',
      '/aside?a=1&b=2',
      '/de',
      '/page/2',
      '/rss',
      '/shadow',
      '/target',
      '/wiki/Node.js',
    ]);
    assert.equal(left(state, 'failure'), undefined);
  });

  it('follows what a Link header declares, and what reacts to clicks as a link does, also on rendered pages', async () => {
    const jump =
      '<select onchange="location = this.value"><option value="">Go to</option><option value="/jump">There</option></select><select><option value="/no">None</option></select>' +
      `<select onchange="location='/size/'+this.value"><option value="s">S<option>M</select>`;
    const rows = `${jump}<table><tr onclick="location.href='/orders/1'"><td>Order 1</td></tr><tr data-href="/orders/2"><td>Order 2</td></tr></table>`;
    const script = '<script>document.body.append("Written by a script.")</script>';
    site.answer('/', linking('Home', '/list', '/wiki/File:Map.png', '/map.png'));
    site.answer('/wiki/File:Map.png', linking('The map'));
    site.answer('/list', page(`<h1>Page 1</h1>${rows}`, { link: '</list/2>; rel="next", </list.css>; rel=preload' }));
    site.answer('/list/2', page(`<h1>Page 2</h1>${script}`, { link: '<3>; rel=next' }));
    site.answer('/list/3', page('<h1>Page 3</h1><p>The last one.</p>', { link: '</copy>; rel="prev"' }));
    site.answer('/copy', page('<h1>Page 3</h1><p>The last one.</p>', { link: '</list/3>; rel="canonical"' }));
    site.answer('/jump', linking('There'));
    for (const size of ['M', 's']) site.answer(`/size/${size}`, linking(`Size ${size}`));
    for (const number of [1, 2]) site.answer(`/orders/${number}`, linking(`Order ${number}`));
    const state = await crawl(service, { url: `${site.baseUrl}/`, sitemap: 'skip' });
    const paths = [
      '/',
      '/jump',
      '/list',
      '/list/2',
      '/list/3',
      '/orders/1',
      '/orders/2',
      '/size/M',
      '/size/s',
      '/wiki/File:Map.png',
    ];
    assert.deepEqual(pathsOf(state), paths);
    assert.deepEqual(left(state, 'duplicate')?.examples.map(pathOf), ['/copy']);
    const { body } = await service.call('POST', '/v2/map', { url: `${site.baseUrl}/`, sitemap: 'skip' });
    const mapped = (body.links as { url: string }[]).map(({ url }) => pathOf(url));
    assert.deepEqual(mapped.sort(), [...paths, '/copy'].sort());
  });

  it('keeps the pages that were found before a pattern took too long', async () => {
    const hostile = [1, 2, 3].map((end) => `/${'a'.repeat(50)}!${end}`);
    site.answer('/start', linking('Start', '/p/1', '/p/2', ...hostile));
    for (const path of ['/p/1', '/p/2']) site.answer(path, page(`<h1>Page ${path}</h1><p>What ${path} says.`));
    const includePaths = ['^/(p/\\d$|(a+)+$)'];
    const url = `${site.baseUrl}/start`;
    const state = await crawl(service, { url, includePaths, crawlEntireDomain: true, sitemap: 'skip' });
    assert.match(state.warning, /took too long to match/);
    assert.deepEqual(pathsOf(state).sort(), ['/p/1', '/p/2']);
    assert.equal(left(state, 'failure'), undefined);
    // It is said of what a sitemap lists, too.
    site.answer('/start', linking('Start', '/p/1'));
    site.answer('/sitemap.xml', page(`<urlset><url><loc>${site.baseUrl}${hostile[0]}</loc></url></urlset>`));
    assert.match((await crawl(service, { url, includePaths, crawlEntireDomain: true })).warning, /took too long/);
  });
});
