import assert from 'node:assert/strict';
import { crawl, ended, linking, pageRequests, pathOf, pathsOf, startCrawl } from '../../harness/crawl-jobs.ts';
import { type FaultySite, redirect, startFaultySite, status } from '../../harness/faulty-site.ts';
import { call, startTestService, type TestService } from '../../harness/service.ts';

describe('crawl', () => {
  let service: TestService;
  let site: FaultySite;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());
  beforeEach(async () => {
    site = await startFaultySite();
    site.answer('/', linking('Home', '/blog', '/blog/one', '/docs/intro', '/gone', 'mailto:a@b.c'));
    site.answer('/blog', linking('Blog', '/blog/one', '/blog/two#part', '/blog/two'));
    site.answer('/blog/one', linking('One', '/', '/blog/'));
    site.answer('/blog/two', linking('Two', '/docs/intro?x=1'));
    site.answer('/docs/intro', (_request, response, { search }) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(linking(`Intro ${search}`, '/')),
    );
  });
  afterEach(() => site.close());

  it('returns every page once, with markdown, and counts failures separately', async () => {
    const id = await startCrawl(service, { url: site.baseUrl });
    const state = await ended(service, id);
    assert.equal(state.success, true);
    assert.equal(state.status, 'completed');
    assert.deepEqual(pathsOf(state), ['/', '/blog', '/blog/one', '/blog/two', '/docs/intro', '/docs/intro?x=1']);
    assert.equal(state.completed, 6);
    assert.equal(state.total, 6);
    assert.equal(state.creditsUsed, 6);
    assert.equal(state.next, undefined);
    assert.ok(Date.parse(state.expiresAt) > Date.now());
    const one = state.data.find((document: { markdown: string }) => document.markdown.includes('# One'));
    assert.equal(one.metadata.statusCode, 200);
    assert.equal(one.metadata.title, 'One');
    const errors = await service.call('GET', `/v2/crawl/${id}/errors`);
    assert.equal(errors.body.success, true);
    assert.deepEqual(errors.body.robotsBlocked, []);
    assert.equal(errors.body.errors.length, 1);
    assert.equal(pathOf(errors.body.errors[0].url), '/gone');
    assert.equal(errors.body.errors[0].code, 'HTTP_404');
    assert.match(errors.body.errors[0].error, /404 Not Found/);
    assert.ok(Date.parse(errors.body.errors[0].timestamp));
    assert.equal(new Set(pageRequests(site)).size, pageRequests(site).length);
  });

  it('starts once for fifty concurrent requests with the same idempotency key', async () => {
    const start = () =>
      service.call('POST', '/v2/crawl', { url: site.baseUrl }, { headers: { 'x-idempotency-key': 'fifty' } });
    const answers = await Promise.all(Array.from({ length: 50 }, start));
    const started = answers.filter(({ status }) => status === 200);
    assert.equal(started.length, 1);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 409]);
    assert.equal((await ended(service, started[0]?.body.id)).completed, 6);
    assert.equal(new Set(pageRequests(site)).size, pageRequests(site).length);
  });

  it('makes each page a scrape that can be retrieved', async () => {
    const state = await crawl(service, { url: `${site.baseUrl}/docs/intro` });
    const { scrapeId } = state.data[0].metadata;
    const scrape = await service.call('GET', `/v2/scrape/${scrapeId}`);
    assert.deepEqual(scrape.body.data, state.data[0]);
    const other = await call(service.baseUrl, 'other-team-key-0123456789', 'GET', `/v2/scrape/${scrapeId}`);
    assert.equal(other.status, 403);
  });

  it('stores pages in the cache only if asked to', async () => {
    const url = `${site.baseUrl}/docs/intro`;
    const cacheState = async () => {
      const { body } = await service.call('POST', '/v2/scrape', { url, maxAge: 600_000, storeInCache: false });
      return body.data.metadata.cacheState;
    };
    await crawl(service, { url });
    assert.equal(await cacheState(), 'miss');
    await crawl(service, { url, scrapeOptions: { maxAge: 600_000, storeInCache: false } });
    assert.equal(await cacheState(), 'miss');
    await crawl(service, { url, scrapeOptions: { storeInCache: true } });
    assert.equal(await cacheState(), 'hit');
    await crawl(service, { url: `${url}?again`, scrapeOptions: { maxAge: 600_000 } });
    const { body } = await service.call('POST', '/v2/scrape', { url: `${url}?again`, maxAge: 600_000 });
    assert.equal(body.data.metadata.cacheState, 'hit');
  });

  it('stays under the path of the start URL by default', async () => {
    assert.deepEqual(pathsOf(await crawl(service, { url: `${site.baseUrl}/blog` })), [
      '/blog',
      '/blog/one',
      '/blog/two',
    ]);
    const whole = await crawl(service, { url: `${site.baseUrl}/blog`, crawlEntireDomain: true });
    assert.ok(pathsOf(whole).includes('/docs/intro'));
  });

  it('filters by path patterns, but always follows the links of the start page', async () => {
    const state = await crawl(service, { url: site.baseUrl, includePaths: ['^/blog(/|$)'], excludePaths: ['/two$'] });
    assert.deepEqual(pathsOf(state), ['/blog', '/blog/one']);
    assert.equal(state.total, 2);
  });

  it("isn't blocked by a hostile pattern, and reports it (CRW-11)", async () => {
    site.answer('/', linking('Home', `/${'a'.repeat(60)}!`, '/blog'));
    const state = await crawl(service, { url: site.baseUrl, excludePaths: ['(a+)+$'], maxDiscoveryDepth: 1 });
    assert.equal(state.status, 'completed');
    assert.deepEqual(pathsOf(state), ['/', '/blog']);
    assert.match(state.warning, /took too long.*\(a\+\)\+\$/);
  });

  it('fetches no more pages than its limit', async () => {
    site.answer('/', (_request, response, url) => {
      const day = Number(url.searchParams.get('d') ?? 0);
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(linking(`Day ${day}`, `/?d=${day + 1}`, `/?d=${day + 2}`));
    });
    const state = await crawl(service, { url: site.baseUrl, limit: 7, sitemap: 'skip' });
    assert.equal(state.completed, 7);
    assert.equal(state.total, 7);
    assert.equal(pageRequests(site).length, 7);
  });

  it('says where it found the pages that failed', async () => {
    const sitemap = `<urlset><url><loc>${site.baseUrl}/shop/listed</loc></url></urlset>`;
    site.answer('/sitemap.xml', (_request, response) => void response.end(sitemap));
    site.answer('/', linking('Home', '/list', '/shop/'));
    site.answer('/list', linking('List', '/shop/linked'));
    const errorsOf = async (body: object) => {
      const id = await startCrawl(service, { url: site.baseUrl, ...body });
      await ended(service, id);
      const { errors } = (await service.call('GET', `/v2/crawl/${id}/errors`)).body;
      type Failure = { url: string; linkedFrom?: string; foundIn?: string };
      const found = errors.map(({ url, linkedFrom, foundIn }: Failure) => [pathOf(url), linkedFrom, foundIn]);
      return Object.fromEntries(found.map(([path = '', ...rest]: string[]) => [path, rest]));
    };
    const listed = [undefined, 'sitemap'];
    const linked = [`${site.baseUrl}/list`, undefined];
    const fromStart = [`${site.baseUrl}/`, undefined];
    const failed = { '/shop/': fromStart, '/shop/linked': linked, '/shop/listed': listed };
    assert.deepEqual(await errorsOf({}), failed);
    // The list is read only for its links.
    assert.deepEqual(await errorsOf({ includePaths: ['^/shop/'] }), failed);
    const feed = `<rss><channel><item><link>${site.baseUrl}/posted</link></item></channel></rss>`;
    site.answer('/feed', (_request, response) => void response.end(feed));
    site.answer('/llms.txt', (_request, response) => void response.end(`# Site\n\n- [Named](${site.baseUrl}/named)\n`));
    site.answer('/', '<link rel="alternate" type="application/rss+xml" href="/feed"><a href="/moved">Moved</a>');
    site.answer('/moved', (_request, response) => void response.writeHead(302, { location: '/now/17' }).end());
    site.answer('/now/17', linking('Now', '/gone'));
    assert.deepEqual(await errorsOf({}), {
      '/named': [undefined, 'llmsTxt'],
      '/posted': [undefined, 'feed'],
      '/gone': [`${site.baseUrl}/now/17`, undefined],
      '/shop/listed': listed,
    });
    site.answer('/', status(404));
    assert.deepEqual((await errorsOf({ sitemap: 'skip' }))['/'], [undefined, 'start']);
  });

  it('reaches its limit despite any number of links that robots.txt disallows (F11)', async () => {
    const disallowed = Array.from({ length: 400 }, (_, number) => `/private/${number}`);
    site.answer('/robots.txt', (_request, response) => response.end('User-agent: *\nDisallow: /private/\n'));
    site.answer('/', linking('Home', ...disallowed, '/a', '/b', '/c', '/d', '/e'));
    for (const path of ['/a', '/b', '/c', '/d', '/e']) site.answer(path, linking(path));
    const id = await startCrawl(service, { url: site.baseUrl, limit: 5, sitemap: 'skip' });
    assert.equal((await ended(service, id)).completed, 5);
    const { body } = await service.call('GET', `/v2/crawl/${id}/errors`);
    assert.equal(body.robotsBlocked.length, 400);
  });

  it('follows links as far as maxDiscoveryDepth and paths as deep as maxDepth', async () => {
    site.answer('/', linking('Home', '/a', '/x/y/z'));
    site.answer('/a', linking('A', '/b'));
    site.answer('/b', linking('B', '/c'));
    site.answer('/x/y/z', linking('Z'));
    const one = await crawl(service, { url: site.baseUrl, maxDiscoveryDepth: 1 });
    assert.deepEqual(pathsOf(one), ['/', '/a', '/x/y/z']);
    const deep = await crawl(service, { url: site.baseUrl, maxDepth: 1 });
    assert.deepEqual(pathsOf(deep).slice(0, 3), ['/', '/a', '/b']);
    assert.ok(!pathsOf(deep).includes('/x/y/z'));
  });

  it('deduplicates similar URLs, unless that is turned off', async () => {
    const links = ['/p?a=1&b=2', '/p?b=2&a=1', '/p/?a=1&b=2&utm_source=x', '/p/index.html?a=1&b=2', '/q', '/q#there'];
    site.answer('/', linking('Home', ...links));
    for (const path of ['/p', '/p/', '/p/index.html', '/q']) site.answer(path, linking(path));
    assert.equal((await crawl(service, { url: site.baseUrl, sitemap: 'skip' })).completed, 3);
    const all = await crawl(service, { url: site.baseUrl, sitemap: 'skip', deduplicateSimilarURLs: false });
    assert.equal(all.completed, 6);
    const bare = await crawl(service, { url: site.baseUrl, sitemap: 'skip', ignoreQueryParameters: true });
    assert.deepEqual(pathsOf(bare).length, 3);
  });

  it('ignores traps with ever longer paths (CRW-03)', async () => {
    site.answer('/', linking('Home', 'x/'));
    await site.close();
    site = await startFaultySite({
      otherwise: (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end(linking('Spiral', 'x/', 'a/b/', '../a/a/'));
      },
    });
    site.answer('/robots.txt', status(404));
    const state = await crawl(service, { url: `${site.baseUrl}/`, limit: 5000, sitemap: 'skip' });
    assert.equal(state.status, 'completed');
    assert.ok(state.completed < 200, `${state.completed} pages`);
  });

  it('stores the target of several redirects once, and rejects redirects out of the crawl', async () => {
    site.answer('/', linking('Home', '/old', '/older', '/new', '/away'));
    site.answer('/old', redirect('/new'));
    site.answer('/older', redirect('/new'));
    site.answer('/new', linking('New'));
    const other = await startFaultySite();
    site.answer('/away', redirect(`${other.baseUrl}/plain`));
    const id = await startCrawl(service, { url: site.baseUrl, sitemap: 'skip' });
    const state = await ended(service, id);
    await other.close();
    assert.equal(state.completed, 2);
    assert.equal(state.total, 2);
    const { errors } = (await service.call('GET', `/v2/crawl/${id}/errors`)).body;
    assert.deepEqual(
      errors.map((error: { url: string; code: string }) => [pathOf(error.url), error.code]),
      [['/away', 'REDIRECT_OUT_OF_SCOPE']],
    );
  });

  it('continues from the redirect target of the start URL', async () => {
    site.answer('/', redirect('/en/home'));
    site.answer('/en/home', linking('Home', '/en/home/more', '/blog'));
    site.answer('/en/home/more', linking('More'));
    const state = await crawl(service, { url: site.baseUrl, sitemap: 'skip', maxDiscoveryDepth: 1 });
    assert.deepEqual(pathsOf(state), ['/', '/blog', '/en/home/more']);
  });

  it('follows external links and subdomains only on request', async () => {
    const other = await startFaultySite();
    other.answer('/', linking('Elsewhere'));
    const sub = site.baseUrl.replace('127.0.0.1', 'docs.localhost');
    const start = site.baseUrl.replace('127.0.0.1', 'localhost');
    site.answer('/', linking('Home', `${other.baseUrl}/`, `${sub}/blog/two`));
    const options = { url: start, sitemap: 'skip', maxDiscoveryDepth: 1 };
    // Not every system resolves names under localhost: a page that was tried and not reached counts too.
    const tried = async (more: object) => {
      const id = await startCrawl(service, { ...options, ...more });
      const { data } = await ended(service, id);
      const { errors, robotsBlocked } = (await service.call('GET', `/v2/crawl/${id}/errors`)).body;
      const urls = [
        ...data.map((document: { metadata: { url: string } }) => document.metadata.url),
        ...errors.map((error: { url: string }) => error.url),
        ...robotsBlocked,
      ];
      return urls.map((url: string) => new URL(url).host).sort();
    };
    const [startHost, subHost, otherHost] = [start, sub, other.baseUrl].map((url) => new URL(url).host);
    try {
      assert.deepEqual(await tried({}), [startHost]);
      assert.deepEqual(await tried({ allowSubdomains: true }), [startHost, subHost].sort());
      assert.deepEqual(await tried({ allowExternalLinks: true }), [startHost, subHost, otherHost].sort());
    } finally {
      await other.close();
    }
  });

  it('appears among the active crawls with all its options, only for its team', async () => {
    site.answer('/', () => undefined);
    const id = await startCrawl(service, {
      url: site.baseUrl,
      limit: 3,
      delay: 1,
      scrapeOptions: { formats: ['markdown', 'links'] },
    });
    for (const path of ['/v2/crawl/active', '/v2/crawl/ongoing']) {
      const { body } = await service.call('GET', path);
      assert.equal(body.success, true);
      const own = body.crawls.find((entry: { id: string }) => entry.id === id);
      assert.equal(own.teamId, 'default');
      assert.equal(own.url, `${site.baseUrl}/`);
      assert.equal(own.options.limit, 3);
      assert.equal(own.options.delay, 1);
      assert.deepEqual(own.options.scrapeOptions.formats, ['markdown', 'links']);
      assert.equal(own.options.scrapeOptions.onlyMainContent, true);
    }
    const others = await call(service.baseUrl, 'other-team-key-0123456789', 'GET', '/v2/crawl/active');
    assert.deepEqual((others.body as { crawls: unknown[] }).crawls, []);
    const cancelled = await service.call('DELETE', `/v2/crawl/${id}`);
    assert.equal(cancelled.status, 200);
    assert.equal(cancelled.body.status, 'cancelled');
    assert.equal((await service.call('GET', `/v2/crawl/${id}`)).body.status, 'cancelled');
    assert.equal((await service.call('DELETE', `/v2/crawl/${id}`)).status, 409);
    assert.deepEqual((await service.call('GET', '/v2/crawl/active')).body.crawls, []);
  });

  it('returns its documents page by page, with next only while more remain', async () => {
    const id = await startCrawl(service, { url: site.baseUrl });
    const { data: all } = await ended(service, id);
    const read = [];
    let next: string | undefined = `${service.baseUrl}/v2/crawl/${id}?limit=4`;
    const answers = [];
    while (next) {
      const { body }: { body: { data: object[]; next?: string } } = await service.call(
        'GET',
        next.slice(service.baseUrl.length),
      );
      answers.push(body.data.length);
      read.push(...body.data);
      next = body.next;
      if (next) assert.ok(next.startsWith(`${service.baseUrl}/v2/crawl/${id}?`), next);
    }
    assert.deepEqual(answers, [4, 2]);
    assert.deepEqual(read, all);
    const past = await service.call('GET', `/v2/crawl/${id}?skip=100`);
    assert.deepEqual(past.body.data, []);
    assert.equal(past.body.next, undefined);
  });

  it("doesn't return next when it is still running and all documents were read", async () => {
    site.answer('/blog', () => undefined);
    const id = await startCrawl(service, { url: site.baseUrl });
    try {
      const { body } = await service.call('GET', `/v2/crawl/${id}`);
      assert.equal(body.status, 'scraping');
      assert.equal(body.next, undefined);
    } finally {
      await service.call('DELETE', `/v2/crawl/${id}`);
    }
  });

  it('rejects invalid requests with the reason', async () => {
    const refused = async (body: object) => {
      const answer = await service.call('POST', '/v2/crawl', body);
      assert.equal(answer.status, 400);
      assert.equal(answer.body.success, false);
      return answer.body.error === 'Bad Request' ? JSON.stringify(answer.body.details) : answer.body.error;
    };
    assert.match(await refused({ url: 'ftp://site.test' }), /url: expected an http or https URL/);
    assert.match(await refused({ url: site.baseUrl, includePaths: ['('] }), /Invalid regular expression/);
    assert.match(await refused({ url: site.baseUrl, limit: 0 }), /limit/);
    assert.match(await refused({ url: site.baseUrl, delay: 60_001 }), /delay: expected seconds from 0 to 60/);
    assert.match(await refused({ url: site.baseUrl, colour: 1 }), /unknown field "colour"/);
    assert.match(await refused({ url: site.baseUrl, webhook: { url: site.baseUrl, colour: 1 } }), /colour/);
    assert.match(
      await refused({ url: site.baseUrl, webhook: { url: site.baseUrl, headers: { 'x-service-signature': 'x' } } }),
      /X-Service-Signature/,
    );
    assert.match(await refused({ url: site.baseUrl, scrapeOptions: { waitFor: -1 } }), /"scrapeOptions","waitFor"/);
  });

  it('accepts what published clients send, at its defaults', async () => {
    const state = await crawl(service, {
      url: `${site.baseUrl}/docs/intro`,
      includePaths: [],
      excludePaths: [],
      maxDiscoveryDepth: 10,
      limit: 10_000,
      crawlEntireDomain: false,
      allowExternalLinks: false,
      allowSubdomains: false,
      ignoreRobotsTxt: false,
      sitemap: 'include',
      deduplicateSimilarURLs: true,
      ignoreQueryParameters: false,
      regexOnFullURL: false,
      maxConcurrency: 5,
      zeroDataRetention: false,
      scrapeOptions: { proxy: 'auto', maxAge: 172_800_000, storeInCache: true, timeout: 30_000 },
      origin: 'js-sdk@4.25.2',
      integration: 'cli',
    });
    assert.equal(state.status, 'completed');
    assert.equal(state.completed, 1);
  });

  it('returns 404 for unknown jobs, 400 for invalid ids and 403 for jobs of other teams', async () => {
    const id = await startCrawl(service, { url: `${site.baseUrl}/docs/intro` });
    const unknown = '01890a5d-ac96-774b-bcce-b302099a8057';
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/errors'],
      ['DELETE', ''],
    ] as const) {
      assert.equal((await service.call(method, `/v2/crawl/${unknown}${path}`)).status, 404);
      const bad = await service.call(method, `/v2/crawl/nonsense${path}`);
      assert.equal(bad.status, 400);
      assert.match(bad.body.error, /Invalid job ID format/);
      const foreign = await call(service.baseUrl, 'other-team-key-0123456789', method, `/v2/crawl/${id}${path}`);
      assert.equal(foreign.status, 403);
      assert.equal((await service.call(method, `/v2/batch/scrape/${id}${path}`)).status, 404);
    }
    await ended(service, id);
  });

  it('accepts an idempotency key once', async () => {
    const init = { headers: { 'x-idempotency-key': 'once' } };
    const body = { url: `${site.baseUrl}/docs/intro` };
    const first = await service.call('POST', '/v2/crawl', body, init);
    assert.equal(first.status, 200);
    const again = await service.call('POST', '/v2/crawl', body, init);
    assert.equal(again.status, 409);
    assert.equal(again.body.error, 'Idempotency key already used');
    await ended(service, first.body.id);
  });

  it('takes options from a sentence; explicit fields take precedence', async () => {
    const answer = await service.call('POST', '/v2/crawl', {
      url: site.baseUrl,
      prompt: 'only the blog, at most fifty pages',
      limit: 2,
    });
    assert.deepEqual(answer.body.promptGeneratedOptions, { includePaths: ['^/blog(/|$)'], limit: 50 });
    assert.equal(answer.body.finalCrawlerOptions.limit, 2);
    const state = await ended(service, answer.body.id);
    assert.equal(state.completed, 2);
    assert.ok(pathsOf(state).every((path) => path.startsWith('/blog')));
    assert.equal(state.warning, undefined);
  });

  it('ignores an empty prompt', async () => {
    const answer = await service.call('POST', '/v2/crawl', { url: site.baseUrl, prompt: ' ', limit: 1 });
    assert.equal(answer.status, 200);
    assert.equal(answer.body.promptGeneratedOptions, undefined);
    assert.equal((await ended(service, answer.body.id)).status, 'completed');
  });

  it('starts with the defaults if its sentence says nothing, with a warning', async () => {
    const answer = await service.call('POST', '/v2/crawl', { url: site.baseUrl, prompt: 'tell me a joke', limit: 1 });
    assert.equal(answer.status, 200);
    const state = await ended(service, answer.body.id);
    assert.equal(state.status, 'completed');
    assert.match(state.warning, /not understood: .*joke|the defaults apply/);
  });

  it("stays logged in with a profile, which it doesn't change", async () => {
    const asked: string[] = [];
    const isKnown = (cookie = '') => cookie.includes('user=ana');
    site.answer('/members', (request, response) => {
      if (!isKnown(request.headers.cookie)) return void response.writeHead(302, { location: '/log-in' }).end();
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(`<p>For Ana.</p>${['one', 'two', 'three'].map((name) => `<a href="/members/${name}">x</a>`).join('')}
        <a href="/account/log-out">Leave</a>`);
    });
    for (const name of ['one', 'two', 'three'])
      site.answer(`/members/${name}`, (request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end(`<p>${isKnown(request.headers.cookie) ? `Secret ${name}` : 'Nobody'}</p>`);
      });
    site.answer('/account/log-out', (_request, response) => {
      asked.push('/account/log-out');
      response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'user=; Max-Age=0; Path=/' }).end('Bye');
    });
    site.answer('/log-in', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'user=ana; Max-Age=1000; Path=/' });
      response.end('<form><input name=user><input type="password"></form>');
    });
    const url = `${site.baseUrl}/members`;
    const outside = await service.call('POST', '/v2/scrape', { url });
    assert.match(
      outside.body.data.warning,
      /^The site asked for a login: this is its login page, http.*\/log-in\. .* set a profile\./,
    );
    const profile = { name: 'ana', saveChanges: true };
    await service.call('POST', '/v2/scrape', { url: `${site.baseUrl}/log-in`, profile });
    const state = await crawl(service, {
      url,
      sitemap: 'skip',
      crawlEntireDomain: true,
      scrapeOptions: { formats: ['markdown'], profile },
    });
    assert.deepEqual(pathsOf(state), ['/members', '/members/one', '/members/three', '/members/two']);
    assert.ok(state.data.every(({ markdown }: { markdown: string }) => /Secret|Ana/.test(markdown)));
    assert.deepEqual(
      state.leftOut.map(({ reason }: { reason: string }) => reason),
      ['exclude'],
    );
    assert.deepEqual(asked, []);
    assert.match((await service.call('POST', '/v2/scrape', { url, profile })).body.data.markdown, /Ana/);
  });

  it('says what a page lacks that is read only for its links', async () => {
    site.answer('/list', linking('List', '/item/1'));
    site.answer(
      '/more',
      `<h1>More</h1><a href="/item/2">Two</a><button id="more" onclick="load()">Load more</button>
       <script>function load() { document.body.append('more'); }</script>`,
    );
    site.answer('/start', linking('Start', '/list', '/more'));
    for (const item of ['/item/1', '/item/2']) site.answer(item, '<h1>Item</h1>');
    const state = await crawl(service, {
      url: `${site.baseUrl}/start`,
      includePaths: ['^/item/'],
      sitemap: 'skip',
      crawlEntireDomain: true,
    });
    assert.deepEqual(pathsOf(state), ['/item/1', '/item/2']);
    assert.match(state.warning, /read only for its links is incomplete.*\/more: .*"Load more"/);
    assert.match(
      state.warning,
      /Scrape this page alone for that, with its links, then those links as a batch: the actions of a crawl or batch run on every page/,
    );
    // On the pages that have no such button, they fail.
    const actions = [{ type: 'click', selector: '#more' }];
    const from = { url: `${site.baseUrl}/more`, sitemap: 'skip', crawlEntireDomain: true };
    const id = await startCrawl(service, { ...from, scrapeOptions: { actions } });
    const clicked = await ended(service, id);
    assert.deepEqual(
      [clicked.completed, clicked.leftOut.map(({ reason }: { reason: string }) => reason)],
      [1, ['failure']],
    );
    const { errors } = (await service.call('GET', `/v2/crawl/${id}/errors`)).body;
    assert.match(
      errors[0].error,
      /^Action 1 \(click\) failed: no element matches #more\. The actions of a crawl .* run on every page/,
    );
  });

  it('warns of the parts of its sentence that no option expresses', async () => {
    const prompt = 'only the blog, one page, with screenshots';
    const answer = await service.call('POST', '/v2/crawl', { url: site.baseUrl, prompt });
    assert.equal(
      (await ended(service, answer.body.id)).warning,
      'These parts of the prompt were not understood: "with screenshots"',
    );
  });
});
