import assert from 'node:assert/strict';
import { ServiceLink } from '../../../src/extension/connection/embedded/link.ts';
import { searxng } from '../../../src/service/web/search/searxng.ts';
import { eventually } from '../../harness/eventually.ts';
import { type Exchange, type FaultyServer, startFaultyServer } from '../../harness/faulty-server.ts';
import { growing } from '../../harness/growing.ts';
import { type SearchSite, startSearchSite } from '../../harness/search-site.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

const html = '<!doctype html><title>Log in</title>';

describe('search with an engine that fails', () => {
  let engine: FaultyServer;
  let site: SearchSite;
  let service: TestService;
  let respond: (exchange: Exchange, query: URLSearchParams) => void;
  before(async () => {
    engine = await startFaultyServer(({ target }, exchange) =>
      respond(exchange, new URL(target, 'http://engine.test').searchParams),
    );
    site = await startSearchSite([{ name: 'tea', title: 'Tea', text: 'Leaves.' }]);
    service = await startTestService({ searchEngine: searxng(engine.baseUrl), credits: 100 });
  });
  after(() => Promise.all([service.close(), engine.close(), site.close()]));
  beforeEach(() => {
    engine.arrivals.length = 0;
  });

  const search = (body: object) => service.call('POST', '/v2/search', { query: 'tea', ...body });
  const results = (...urls: string[]) => ({ results: urls.map((url) => ({ url, title: 'T', content: 'C' })) });
  const asked = (index = 0) => new URL(engine.arrivals[index]?.target ?? '', 'http://engine.test');

  for (const [what, fault, status, code, message] of [
    [
      'returns HTML',
      (to) => to.answer(200, html),
      503,
      'SEARCH_ENGINE_SETTINGS',
      /returned HTML instead of SearXNG's JSON/,
    ],
    [
      'refuses JSON',
      (to) => to.answer(403, html),
      503,
      'SEARCH_ENGINE_SETTINGS',
      /Add "json" to search\.formats in its settings/,
    ],
    ['asks for a login', (to) => to.answer(401, ''), 503, 'SEARCH_ENGINE_SETTINGS', /asks for a login \(status 401\)/],
    ['has no search', (to) => to.answer(404, html), 503, 'SEARCH_ENGINE_SETTINGS', /no SearXNG search at this URL/],
    [
      'redirects',
      (to) => to.answer(302, '', { location: 'https://elsewhere.test/searx/search?q=tea' }),
      503,
      'SEARCH_ENGINE_SETTINGS',
      /redirects to https:\/\/elsewhere\.test\/searx\. Set the search endpoint/,
    ],
    [
      'redirects nowhere',
      (to) => to.answer(302, ''),
      503,
      'SEARCH_ENGINE_SETTINGS',
      /redirects\. Set the search endpoint/,
    ],
    ['limits requests', (to) => to.answer(429, ''), 502, 'SEARCH_ENGINE_FAILED', /server\.limiter/],
    [
      'fails',
      (to) => to.json({ error: 'search\nerror' }, 500),
      502,
      'SEARCH_ENGINE_FAILED',
      /status 500: search\\nerror\.$/,
    ],
    [
      'breaks off',
      (to) => to.reset('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{'),
      502,
      'SEARCH_ENGINE_FAILED',
      /can't be reached/,
    ],
    ['returns other JSON', (to) => to.json(['tea']), 503, 'SEARCH_ENGINE_SETTINGS', /returned something other/],
    ['returns null', (to) => to.json(null), 503, 'SEARCH_ENGINE_SETTINGS', /returned something other/],
  ] as [string, (exchange: Exchange) => void, number, string, RegExp][]) {
    it(`says so when it ${what}`, async () => {
      respond = fault;
      const { status: got, body } = await search({});
      assert.deepEqual([got, body.success, body.code], [status, false, code]);
      assert.match(body.error, message);
      assert.equal(engine.arrivals.length, 1);
    });
  }

  it('ends at the timeout of a slow engine', async () => {
    respond = () => undefined;
    const { status, body } = await search({ timeout: 50 });
    assert.deepEqual([status, body.code], [408, 'SEARCH_TIMEOUT']);
    assert.match(body.error, /did not answer within 0\.05 s/);
  });

  it('keeps the results of the pages before one that fails', async () => {
    respond = (to, query) =>
      query.get('pageno') === '1' ? to.json(results('http://a.test/1', 'http://a.test/2')) : to.answer(500, '');
    const { status, body } = await search({});
    assert.equal(status, 200);
    assert.equal(body.data.web.length, 2);
    assert.match(body.warning, /Not all results were requested: .*status 500/);
  });

  it('names the engines of SearXNG that did not respond', async () => {
    respond = (to) =>
      to.json({
        results: [],
        unresponsive_engines: [
          ['brave', 'timeout'],
          ['qwant', 'CAPTCHA'],
        ],
      });
    const { status, body } = await search({});
    assert.deepEqual([status, body.data.web], [200, []]);
    assert.equal(body.warning, "These SearXNG engines didn't respond: brave (timeout), qwant (CAPTCHA).");
  });

  it('leaves out invalid results, and cuts long texts to one line', async () => {
    const long = 'x'.repeat(100_000);
    respond = (to, query) =>
      to.json({
        results:
          query.get('pageno') === '1'
            ? [
                null,
                'x',
                { title: 'no url' },
                { url: 7 },
                { url: 'not a url' },
                { url: 'http://a.test/', title: `a\n\u0000b ${long}` },
              ]
            : [],
      });
    const { body } = await search({});
    assert.equal(body.data.web.length, 1);
    assert.match(body.data.web[0].title, /^a b x+$/);
    assert.equal(body.data.web[0].title.length, 500);
    assert.equal(body.data.web[0].description, '');
  });

  it('passes what the caller asks for to the engine', async () => {
    respond = (to) => to.json({ results: [] });
    await search({
      tbs: 'qdr:w',
      location: 'Munich, Germany',
      sources: ['web', { type: 'news', tbs: 'qdr:d' }, 'images'],
    });
    const requests = engine.arrivals.map((_each, index) => Object.fromEntries(asked(index).searchParams));
    const same = { q: 'tea', format: 'json', pageno: '1', language: 'de-DE' };
    assert.deepEqual(
      requests.sort((one, other) => (one.categories ?? '').localeCompare(other.categories ?? '')),
      [
        { ...same, categories: 'general', time_range: 'week' },
        { ...same, categories: 'images', time_range: 'week' },
        { ...same, categories: 'news', time_range: 'day' },
      ],
    );
  });

  it('lists news and images with their own fields', async () => {
    respond = (to, query) => {
      if (query.get('pageno') !== '1') return to.json({ results: [] });
      to.json({
        results: [
          {
            url: 'http://a.test/p',
            title: 'T',
            content: 'C',
            publishedDate: '2026-03-02T09:00:00',
            img_src: '//img.test/a.png',
            resolution: '1920 x 1080',
          },
        ],
      });
    };
    const { body } = await search({ sources: ['news', 'images'] });
    const imageUrl = 'http://img.test/a.png';
    assert.deepEqual(body.data, {
      news: [{ url: 'http://a.test/p', title: 'T', snippet: 'C', date: '2026-03-02T09:00:00', imageUrl, position: 1 }],
      images: [{ url: 'http://a.test/p', title: 'T', imageUrl, imageWidth: 1920, imageHeight: 1080, position: 1 }],
    });
  });

  it('limits results to domains and categories, also where the engine ignores operators', async () => {
    const all = [
      'http://a.test/1',
      'http://www.b.test/x.pdf',
      'http://b.test/2',
      'https://github.com/a/b',
      'http://notb.test/',
    ];
    respond = (to, query) => to.json(query.get('pageno') === '1' ? results(...all) : { results: [] });
    const urls = async (body: object) =>
      (await search(body)).body.data.web.map(({ url }: { url: string }) => url) as string[];
    assert.deepEqual(await urls({ includeDomains: ['B.test'] }), ['http://www.b.test/x.pdf', 'http://b.test/2']);
    assert.equal(asked().searchParams.get('q'), 'tea site:b.test');
    assert.deepEqual(await urls({ excludeDomains: ['b.test', 'github.com'] }), [
      'http://a.test/1',
      'http://notb.test/',
    ]);
    engine.arrivals.length = 0;
    const { body } = await search({ categories: ['github', { type: 'pdf' }, 'research'] });
    assert.deepEqual(
      body.data.web.map(({ url, category }: { url: string; category: string }) => [url, category]).slice(0, 3),
      [
        ['https://github.com/a/b', 'github'],
        ['http://www.b.test/x.pdf', 'pdf'],
        ['http://a.test/1', 'research'],
      ],
    );
    const groups = engine.arrivals.map(
      (_each, index) => `${asked(index).searchParams.get('q')} in ${asked(index).searchParams.get('categories')}`,
    );
    assert.deepEqual([...new Set(groups)].sort(), [
      'tea filetype:pdf in general',
      'tea in science',
      'tea site:github.com in general',
    ]);
  });

  it('leaves out results that cannot be scraped only when asked to', async () => {
    const all = ['http://a.test/', 'ftp://a.test/file', 'http://user:secret@a.test/'];
    respond = (to, query) => to.json(query.get('pageno') === '1' ? results(...all) : { results: [] });
    assert.equal((await search({})).body.data.web.length, 3);
    assert.equal((await search({ ignoreInvalidURLs: true })).body.data.web.length, 1);
  });

  it('says why the page of a result has no content', async () => {
    const urls = [`${site.url}tea`, `${site.url}gone`, 'http://127.0.0.1:1/', 'ftp://a.test/'];
    respond = (to, query) => to.json(query.get('pageno') === '1' ? results(...urls) : { results: [] });
    const { status, body } = await search({ scrapeOptions: {} });
    assert.equal(status, 200);
    const [tea, gone, closed, other] = body.data.web;
    assert.equal(tea.markdown, '# Tea\n\nLeaves.');
    assert.equal(gone.metadata.statusCode, 404);
    assert.match(closed.metadata.error, /blocked|refused/);
    assert.match(other.metadata.error, /only http and https/);
    assert.deepEqual([closed.title, closed.position, closed.markdown], ['T', 3, undefined]);
    const { body: listed } = await search({ scrapeOptions: { formats: [] } });
    assert.equal(listed.data.web[0].markdown, undefined);
  });

  it('returns the results without the content that is not ready within the timeout', async () => {
    respond = (to, query) => to.json(query.get('pageno') === '1' ? results(`${site.url}slow`) : { results: [] });
    await growing(500, async (timeout) => {
      const { status, body } = await search({ scrapeOptions: {}, timeout });
      assert.equal(status, 200);
      assert.deepEqual(body.data.web[0].metadata, {
        sourceURL: `${site.url}slow`,
        statusCode: 408,
        error: 'The page was not scraped within the timeout of the search.',
      });
    });
  });

  it('refuses by name what it cannot do', async () => {
    respond = () => assert.fail('the engine was asked');
    for (const [body, error] of [
      [{ query: ' ' }, /^query: expected words/],
      [{ limit: 0 }, /^limit: expected a whole number from 1 to 100/],
      [{ limit: 101 }, /^limit: /],
      [{ sources: ['videos'] }, /^sources\.0: expected a source: web, news, images/],
      [{ categories: ['developer'] }, /^categories\.0: expected a category: .*developer/],
      [{ tbs: 'qdr:h' }, /^tbs: "qdr:h" isn't supported/],
      [{ tbs: 'cdr:1,cd_min:1/1/2026' }, /^tbs: /],
      [{ tbs: 'sbd:1' }, /^tbs: /],
      [{ location: 'Atlantis' }, /^location: "Atlantis" isn't a known country/],
      [{ includeDomains: ['a.test'], excludeDomains: ['b.test'] }, /cannot both be specified/],
      [{ includeDomains: ['https://a.test/x'] }, /^includeDomains\.0: expected a host name/],
      [{ filter: '1' }, /^filter: filter isn't supported: write operators/],
      [{ asyncScraping: true }, /^asyncScraping: /],
      [{ enterprise: ['zdr'] }, /^enterprise(\.0)?: enterprise isn't supported/],
      [{ scrapeOptions: { formats: ['branding'] } }, /"branding" isn't supported/],
      [{ nonsense: 1 }, /unknown field "nonsense"/],
    ] as const) {
      const { status, body: answer } = await search(body);
      assert.deepEqual([status, answer.success], [400, false], JSON.stringify(body));
      assert.match(answer.error, error, JSON.stringify(body));
    }
  });

  it('costs two credits for each ten results, and nothing without credits left', async () => {
    respond = (to, query) =>
      to.json(
        query.get('pageno') === '1'
          ? results(...Array.from({ length: 11 }, (_each, index) => `http://a.test/${index}`))
          : { results: [] },
      );
    const left = async () => (await service.call('GET', '/v2/team/credit-usage')).body.data.remainingCredits;
    const before = await left();
    assert.equal((await search({ limit: 11 })).body.creditsUsed, 4);
    assert.equal(before - (await left()), 4);
    while ((await left()) > 1) await search({});
    assert.equal((await search({})).status, 402);
  });
});

describe('search without an engine', () => {
  let engine: FaultyServer;
  let service: TestService;
  before(async () => {
    engine = await startFaultyServer((_arrival, exchange) => exchange.json({ results: [{ url: 'http://a.test/' }] }));
    service = await startTestService();
  });
  after(() => Promise.all([service.close(), engine.close()]));
  const search = () => service.call('POST', '/v2/search', { query: 'tea' });

  it('says how to set one up', async () => {
    const { status, body } = await search();
    assert.deepEqual([status, body.success, body.code], [503, false, 'NO_SEARCH_ENGINE']);
    assert.match(body.error, /--search-endpoint .*WEBDATA_SEARCH_ENDPOINT.*Set Up Search…/);
  });

  it('uses the engine in the settings of a window of the team, while it is linked', async () => {
    const { port, apiKey } = service;
    const window = await ServiceLink.open({ port, apiKey, window: 'test' });
    const becomes = (status: number) => eventually(async () => assert.equal((await search()).status, status));
    window.send({ type: 'search-endpoint', endpoint: `${engine.baseUrl}/search` });
    await becomes(200);
    assert.equal((await search()).body.data.web.length, 1);
    const other = { headers: { authorization: 'Bearer other-team-key-0123456789' } };
    assert.equal((await service.call('POST', '/v2/search', { query: 'tea' }, other)).status, 503);
    window.send({ type: 'search-endpoint', endpoint: null });
    await becomes(503);
    window.send({ type: 'search-endpoint', endpoint: engine.baseUrl });
    await becomes(200);
    window.send({ type: 'search-endpoint', endpoint: 'ftp://a.test' });
    await becomes(503);
    window.send({ type: 'search-endpoint', endpoint: engine.baseUrl });
    await becomes(200);
    window.close();
    await becomes(503);
  });
});
