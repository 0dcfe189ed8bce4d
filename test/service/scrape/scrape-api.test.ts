import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  bytes,
  type FaultySite,
  page,
  plainPage,
  redirect,
  startFaultySite,
  status,
} from '../../harness/faulty-site.ts';
import { temporaryFolder } from '../../harness/folders.ts';
import { pdfOf } from '../../harness/pdf.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

const otherTeam = { headers: { authorization: 'Bearer other-team-key-0123456789' } };

describe('scrape', () => {
  let site: FaultySite;
  let service: TestService;
  before(async () => {
    [site, service] = await Promise.all([startFaultySite(), startTestService()]);
  });
  after(() => Promise.all([site.close(), service.close()]));
  const scrape = (path: string, options: object = {}) =>
    service.call('POST', '/v2/scrape', { url: path.startsWith('http') ? path : site.baseUrl + path, ...options });
  /** Scrapes a page of which a cached one is too old: two pages may be read within a millisecond. */
  const scrapeStale = async (path: string, options: object = {}, ...init: [RequestInit?]) => {
    await sleep(5);
    return await service.call('POST', '/v2/scrape', { url: site.baseUrl + path, maxAge: 1, ...options }, ...init);
  };

  it('returns a page as markdown with metadata, and keeps it for retrieval', async () => {
    const { status, body } = await scrape('/redirect/302', { origin: 'test', integration: 'test' });
    assert.equal(status, 200);
    assert.equal(body.success, true);
    assert.equal(body.data.markdown, '# Plain page\n\nSome words.');
    const { metadata } = body.data;
    assert.equal(metadata.title, 'Plain');
    assert.equal(metadata.sourceURL, `${site.baseUrl}/redirect/302`);
    assert.equal(metadata.url, `${site.baseUrl}/plain`);
    assert.equal(metadata.statusCode, 200);
    assert.equal(metadata.creditsUsed, 1);
    const again = await service.call('GET', `/v2/scrape/${metadata.scrapeId}`);
    assert.deepEqual(again.body, body);
    assert.equal((await service.call('GET', `/v2/scrape/${metadata.scrapeId}`, undefined, otherTeam)).status, 403);
  });

  it('returns 404 for unknown scrapes', async () => {
    assert.equal((await service.call('GET', '/v2/scrape/9b2c5d5e-1111-4222-8333-444455556666')).status, 404);
    const bad = await service.call('GET', '/v2/scrape/nonsense');
    assert.equal(bad.status, 400);
    assert.match(bad.body.error, /valid UUID/);
  });

  it('returns every supported format', async () => {
    site.answer('/formats', '<main><h1>F</h1><p><a href="/x">x</a><img src="/i.png" alt="i"></p></main>');
    const { body } = await scrape('/formats', { formats: ['markdown', 'html', 'rawHtml', 'links', 'images'] });
    assert.match(body.data.markdown, /^# F/);
    assert.match(body.data.html, /^<main><h1>F/);
    assert.match(body.data.rawHtml, /^<main>/);
    assert.deepEqual(body.data.links, [`${site.baseUrl}/x`]);
    assert.deepEqual(body.data.images, [`${site.baseUrl}/i.png`]);
    const only = await scrape('/formats', { formats: ['links'] });
    assert.equal('markdown' in only.body.data, false);
  });

  it('returns the product of a page, or says that it has none', async () => {
    const product = { '@type': 'Product', name: 'Boat', offers: { price: '5.00', priceCurrency: 'EUR' } };
    const data = `<script type="application/ld+json">${JSON.stringify(product)}</script>`;
    site.answer('/boat', `${data}<main><h1>Boat</h1></main>`);
    const { body } = await scrape('/boat', { formats: ['product'] });
    assert.deepEqual(body.data.product, {
      title: 'Boat',
      url: `${site.baseUrl}/boat`,
      variants: [{ title: 'Boat', price: { amount: 5, currency: 'EUR' }, availability: { inStock: false } }],
    });
    assert.equal('markdown' in body.data, false);
    const none = await scrape('/plain', { formats: ['product'] });
    assert.equal(none.body.data.product, undefined);
    assert.match(none.body.data.warning, /^No product found/);
  });

  it('returns pages of any status', async () => {
    for (const code of [404, 410, 500, 503]) {
      site.answer(`/status/${code}`, status(code, {}, `<h1>Status ${code}</h1>`));
      const { status: answered, body } = await scrape(`/status/${code}`);
      assert.equal(answered, 200);
      assert.equal(body.success, true);
      assert.equal(body.data.metadata.statusCode, code);
      assert.match(body.data.markdown, new RegExp(`Status ${code}`));
    }
  });

  const failures: [string, number, string][] = [
    ['/redirect/loop', 500, 'SCRAPE_SITE_ERROR'],
    ['/redirect/file', 403, 'SCRAPE_TARGET_REFUSED'],
    ['/body/endless', 500, 'SCRAPE_SITE_ERROR'],
    ['/body/dropped', 500, 'SCRAPE_SITE_ERROR'],
    ['/bomb/gzip', 500, 'SCRAPE_SITE_ERROR'],
    ['/encoded/br-lie', 500, 'SCRAPE_SITE_ERROR'],
    ['http://name.invalid/', 200, 'SCRAPE_DNS_RESOLUTION_ERROR'],
    ['http://169.254.169.254/latest/meta-data/', 403, 'SCRAPE_TARGET_REFUSED'],
    ['http://user:secret@127.0.0.1:1234/', 403, 'SCRAPE_TARGET_REFUSED'],
  ];
  for (const [path, expected, code] of failures) {
    it(`reports what is wrong with ${path}: ${code}`, async () => {
      const { status, body } = await scrape(path);
      assert.equal(status, expected);
      assert.deepEqual([body.success, body.code], [false, code]);
      assert.doesNotMatch(body.error, /secret/);
    });
  }

  it('stops a page at its timeout, and says which that was', async () => {
    const { status, body } = await scrape('/body/slow', { timeout: 1000 });
    assert.deepEqual([status, body.code], [408, 'SCRAPE_TIMEOUT']);
    assert.match(body.error, /\/body\/slow didn't load within 1 s\.$/);
  });

  it('rejects invalid requests', async () => {
    const bad: object[] = [
      { formatz: [] },
      { formats: ['nonsense'] },
      { includeTags: ['p[['] },
      { timeout: 10 },
      { actions: [{ type: 'click', selector: 'p[[' }] },
    ];
    for (const options of bad) {
      const { status, body } = await scrape('/plain', options);
      assert.deepEqual([status, body.success], [400, false], JSON.stringify(options));
    }
    assert.equal((await scrape('/plain', { formats: ['json'] })).status, 503);
  });

  it('accepts fields of the published API that change nothing, and names them in the warning', async () => {
    const { status, body } = await scrape('/plain', { proxy: 'stealth', auditMetadata: { user: 'a' } });
    assert.equal(status, 200);
    assert.match(
      body.data.warning,
      /^auditMetadata has no effect: .+\. proxy "stealth"|^proxy "stealth" has no effect: .+\. auditMetadata has no effect: .+\.$/,
    );
    const defaults = await scrape('/plain', { proxy: 'auto', auditMetadata: null, __experimental_cache: false });
    assert.deepEqual([defaults.status, defaults.body.data.warning], [200, undefined]);
    const started = await service.call('POST', '/v2/crawl', {
      url: `${site.baseUrl}/plain`,
      limit: 1,
      threatProtection: {},
    });
    assert.match(started.body.warning, /^threatProtection has no effect/);
    for (const [method, path] of [
      ...['/v2/search/gov', '/v2/exchange/discover', '/v2/team/threat-protection', '/v2/parse/formats'].map((each) => [
        'GET',
        each,
      ]),
      ['GET', '/v2/agent/threads/z'],
      ['POST', '/v2/parse/upload-url'],
    ] as const) {
      const refused = await service.call(method, path);
      assert.ok(
        [404, 405].includes(refused.status) && /isn't offered\. .{20}|It accepts .+\. .{20}/.test(refused.body.error),
        `${path} ${refused.body.error}`,
      );
    }
  });

  it('never fetches this service itself', async () => {
    site.answer('/to-service', redirect(`${service.baseUrl}/v2/browser`, 307));
    for (const url of [
      service.baseUrl,
      `http://localhost:${service.port}/`,
      `http://[::1]:${service.port}/`,
      '/to-service',
    ]) {
      const { status, body } = await scrape(url);
      assert.deepEqual([status, body.code], [403, 'SCRAPE_TARGET_REFUSED'], url);
    }
  });

  it('sends headers and languages', async () => {
    // No other test asks for this page: a crawl that one has started may still run.
    site.answer('/asked', page(plainPage));
    await scrape('/asked', { headers: { 'X-Token': 'abc' }, location: { country: 'DE' } });
    const headers = site.headersOf('/asked');
    assert.equal(headers?.['x-token'], 'abc');
    assert.equal(headers?.['accept-language'], 'de-DE,de;q=0.9');
  });

  it('reads texts, data and PDFs, returns raw PDFs on request, and rejects other files', async () => {
    site.answer('/data.json', bytes(Buffer.from('{"a":1}'), 'application/json'));
    assert.equal((await scrape('/data.json')).body.data.markdown, '```json\n{"a":1}\n```');
    site.answer('/paper.pdf', bytes(pdfOf('Words of a paper'), 'application/pdf'));
    const pdf = await scrape('/paper.pdf');
    assert.match(pdf.body.data.markdown, /Words of a paper/);
    assert.deepEqual([pdf.body.data.metadata.numPages, pdf.body.data.metadata.totalPages], [1, 1]);
    site.answer('/long.pdf', bytes(pdfOf('One', 'Two', 'Three'), 'application/pdf'));
    const part = (await scrape('/long.pdf', { parsers: [{ type: 'pdf', maxPages: 2 }] })).body.data.metadata;
    assert.deepEqual([part.numPages, part.totalPages, part.cacheState], [2, 3, 'miss']);
    const kept = await scrape('/paper.pdf', { parsers: [] });
    assert.match(Buffer.from(kept.body.data.rawBase64, 'base64').toString('latin1'), /^%PDF-/);
    site.answer('/picture.png', bytes(Uint8Array.of(137, 80, 78, 71), 'image/png'));
    assert.equal((await scrape('/picture.png')).body.code, 'SCRAPE_UNSUPPORTED_FILE_ERROR');
    site.answer('/broken.pdf', bytes(Buffer.from('%PDF-1.7 and no more'), 'application/pdf'));
    assert.equal((await scrape('/broken.pdf')).body.success, false);
  });

  it('says that a page has no text', async () => {
    site.answer(
      '/nothing',
      '<div id="app"></div><script>setTimeout(() => (app.textContent = "Late"), 60_000);</script>',
    );
    const { data } = (await scrape('/nothing')).body;
    assert.equal(data.markdown, '');
    assert.match(data.warning, /^No text was found on the page\. .* set waitFor/);
  });

  it('returns cached pages within maxAge', async () => {
    site.answer('/stored', '<h1>First</h1>');
    assert.equal((await scrape('/stored', { lockdown: true })).body.code, 'SCRAPE_LOCKDOWN_CACHE_MISS');
    assert.equal((await scrape('/stored', { minAge: 0 })).body.code, 'SCRAPE_NO_CACHED_DATA');
    await scrape('/stored');
    site.answer('/stored', '<h1>Second</h1>');
    const old = await scrape('/stored', { maxAge: 600_000, formats: ['markdown', 'links'] });
    assert.equal(old.body.data.markdown, '# First');
    assert.equal(old.body.data.metadata.cacheState, 'hit');
    assert.ok(Date.parse(old.body.data.metadata.cachedAt) > 0);
    assert.equal((await scrape('/stored', { lockdown: true })).body.data.markdown, '# First');
    assert.equal((await scrape('/stored', { minAge: 3_600_000 })).status, 404);
    const fresh = await scrape('/stored', { storeInCache: false });
    assert.equal(fresh.body.data.markdown, '# Second');
    assert.equal((await scrape('/stored', { lockdown: true })).body.data.markdown, '# First');
    assert.equal(
      (await service.call('POST', '/v2/scrape', { url: `${site.baseUrl}/stored`, lockdown: true }, otherTeam)).status,
      404,
    );
  });

  it('asks the site whether a cached page that is too old has changed', async () => {
    const asked: unknown[] = [];
    let version = 1;
    let vary = 'accept-language';
    const answers = (path: string) =>
      site.answer(path, (request, response) => {
        const { 'if-none-match': etag, 'if-modified-since': since } = request.headers;
        asked.push([etag, since]);
        const isSame = etag === `W/"${version}"`;
        response.writeHead(isSame ? 304 : 200, {
          'content-type': 'text/html',
          etag: `W/"${version}"`,
          'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT',
          vary,
        });
        response.end(isSame ? undefined : `<h1>Version ${version}</h1>`);
      });
    const read = async (path: string, options: object = {}) => {
      const { data } = (await scrapeStale(path, options)).body;
      return [/Version \d/.exec(data.markdown)?.[0], data.metadata.cacheState, data.metadata.statusCode];
    };
    answers('/tagged');
    const none = [undefined, undefined];
    const first = ['W/"1"', 'Sun, 06 Nov 1994 08:49:37 GMT'];
    assert.deepEqual(await read('/tagged'), ['Version 1', 'miss', 200]);
    assert.deepEqual(await read('/tagged'), ['Version 1', 'revalidated', 200]);
    assert.deepEqual(await read('/tagged', { maxAge: 600_000 }), ['Version 1', 'hit', 200]);
    assert.deepEqual(asked.splice(0), [none, first]);
    version = 2;
    assert.deepEqual(await read('/tagged'), ['Version 2', 'miss', 200]);
    assert.deepEqual(asked.splice(0), [first]);

    // Whoever wants it anew, sends own headers or is another team gets the page itself.
    assert.deepEqual(await read('/tagged', { maxAge: 0 }), ['Version 2', undefined, 200]);
    assert.deepEqual(await read('/tagged', { headers: { 'x-mine': '1' } }), ['Version 2', 'miss', 200]);
    await scrapeStale('/tagged', {}, otherTeam);
    assert.deepEqual(asked.splice(0), [none, none, none]);

    // The next request may get another response, whatever it says.
    vary = 'Cookie, *';
    answers('/varied');
    assert.deepEqual(await read('/varied'), ['Version 2', 'miss', 200]);
    assert.deepEqual(await read('/varied'), ['Version 2', 'miss', 200]);
    assert.deepEqual(asked.splice(0), [none, none]);
  });

  it('fetches the page anew if the site says of another page that it is unchanged', async () => {
    let target = '/moved-here';
    site.answer('/moving', (_request, response) => void response.writeHead(302, { location: target }).end());
    for (const path of ['/moved-here', '/moved-there'])
      site.answer(path, (request, response) => {
        response.writeHead(request.headers['if-none-match'] ? 304 : 200, {
          'content-type': 'text/html',
          etag: '"same"',
        });
        response.end(request.headers['if-none-match'] ? undefined : `<h1>${path}</h1>`);
      });
    const read = async () => (await scrapeStale('/moving')).body.data;
    assert.match((await read()).markdown, /moved-here/);
    assert.equal((await read()).metadata.cacheState, 'revalidated');
    target = '/moved-there';
    const { markdown, metadata } = await read();
    assert.match(markdown, /moved-there/);
    assert.equal(metadata.cacheState, 'miss');
  });

  it('never returns cached pages that were fetched with weaker checks (F7)', async () => {
    const cacheState = async (options: object) =>
      (await scrape('/careful', { maxAge: 600_000, ...options })).body.data.metadata.cacheState;
    site.answer('/careful', page('Careful'));
    assert.equal(await cacheState({ skipTlsVerification: true }), 'miss');
    assert.equal(await cacheState({ skipTlsVerification: false }), 'miss');
    assert.equal(await cacheState({ skipTlsVerification: false }), 'hit');
    assert.equal(await cacheState({ skipTlsVerification: false, blockAds: false }), 'miss');
  });

  it("doesn't cache what depends on the request", async () => {
    site.answer('/kept', '<h1>Kept</h1>');
    await scrape('/kept');
    const asked = site.requests.length;
    for (const options of [
      { headers: { cookie: 'me=1' } },
      { formats: ['screenshot'] },
      { actions: [{ type: 'scrape' }] },
      { profile: { name: 'mine' } },
      { mobile: true },
      { waitFor: 10 },
      { location: { country: 'DE' } },
    ]) {
      const { status, body } = await scrape('/kept', { lockdown: true, ...options });
      assert.deepEqual([status, body.code], [404, 'SCRAPE_LOCKDOWN_CACHE_MISS'], JSON.stringify(options));
      assert.equal((await scrape('/kept', { minAge: 0, ...options })).body.code, 'SCRAPE_NO_CACHED_DATA');
    }
    assert.equal(site.requests.length, asked);
    const { body } = await scrape('/kept', { maxAge: 600_000, headers: { cookie: 'me=1' } });
    assert.equal(body.data.metadata.cacheState, 'miss');
    assert.equal(site.headersOf('/kept')?.cookie, 'me=1');
    assert.equal((await scrape('/kept', { lockdown: true })).body.data.markdown, '# Kept');
  });

  it('decodes pages in their charset', async () => {
    const cases: [string, string, Uint8Array, string][] = [
      ['/utf-16', 'text/html', Buffer.from('\ufeff<p>café テ</p>', 'utf16le'), 'café テ'],
      ['/shift-jis', 'text/html; charset=Shift_JIS', Buffer.from('<p>\x83\x65</p>', 'latin1'), 'テ'],
      ['/gbk', 'text/html', Buffer.from('<meta charset=gbk><p>\xc4\xe3</p>', 'latin1'), '你'],
      ['/windows', 'text/html', Buffer.from('<p>caf\xe9 \x80</p>', 'latin1'), 'café €'],
      ['/evil', 'text/html; charset=evil', Buffer.from('<meta charset=evil><p>naïve</p>'), 'naïve'],
      ['/header-first', 'text/html; charset=utf-8', Buffer.from('<meta charset=shift_jis><p>é</p>'), 'é'],
      ['/plain-text', 'text/plain; charset=iso-8859-2', Buffer.from('\xb1', 'latin1'), 'ą'],
    ];
    for (const [path, type, body, expected] of cases) {
      site.answer(path, bytes(body, type));
      assert.equal((await scrape(path)).body.data.markdown, expected, path);
    }
  });

  it('reads the requested number of PDF pages, at a credit each', async () => {
    site.answer('/long.pdf', bytes(pdfOf('First page', 'Second page', 'Third page'), 'application/pdf'));
    const whole = (await scrape('/long.pdf')).body.data;
    assert.match(whole.markdown, /First page[\s\S]*Third page/);
    assert.deepEqual([whole.metadata.numPages, whole.metadata.creditsUsed], [3, 3]);
    const part = (await scrape('/long.pdf', { parsers: [{ type: 'pdf', maxPages: 2 }] })).body.data;
    assert.match(part.markdown, /Second page/);
    assert.doesNotMatch(part.markdown, /Third page/);
    assert.equal(part.metadata.creditsUsed, 2);
  });

  it('follows a meta refresh', async () => {
    site.answer('/refresh', '<meta http-equiv="refresh" content="0; url=/plain">');
    const { body } = await scrape('/refresh');
    assert.match(body.data.markdown, /Plain page/);
    site.answer('/refresh-service', `<meta http-equiv="refresh" content="0; url=${service.baseUrl}/">`);
    assert.equal((await scrape('/refresh-service')).body.code, 'SCRAPE_TARGET_REFUSED');
  });

  it('appears in the activity and is billed', async () => {
    const { body } = await scrape('/plain?charged');
    const { data } = (await service.call('GET', '/v2/team/activity?endpoint=scrape')).body;
    assert.equal(data[0].id, body.data.metadata.scrapeId);
    assert.equal(data[0].target, `${site.baseUrl}/plain?charged`);
    assert.equal(data[0].status_code, 200);
  });

  it('refuses a scrape without enough credits before it fetches', async () => {
    const poor = await startTestService({ credits: 1 });
    try {
      const url = `${site.baseUrl}/poor`;
      site.answer('/poor', plainPage);
      assert.equal((await poor.call('POST', '/v2/scrape', { url })).status, 200);
      assert.equal((await poor.call('POST', '/v2/scrape', { url })).status, 402);
      assert.equal(site.requests.filter((path) => path === '/poor').length, 1);
    } finally {
      await poor.close();
    }
  });

  it('keeps scrapes across restarts of the service', async () => {
    const dataDir = temporaryFolder();
    const first = await startTestService({ dataDir });
    const { body } = await first.call('POST', '/v2/scrape', { url: `${site.baseUrl}/plain` });
    await first.close();
    const next = await startTestService({ dataDir });
    try {
      assert.deepEqual((await next.call('GET', `/v2/scrape/${body.data.metadata.scrapeId}`)).body, body);
    } finally {
      await next.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it('never fetches private addresses if they are denied', async () => {
    const strict = await startTestService({ denyPrivateTargets: true });
    try {
      site.requests.length = 0;
      for (const url of [
        `${site.baseUrl}/plain`,
        `http://localhost:${site.port}/plain`,
        `http://0x7f.1:${site.port}/plain`,
      ]) {
        const { status, body } = await strict.call('POST', '/v2/scrape', { url });
        assert.deepEqual([status, body.code], [403, 'SCRAPE_TARGET_REFUSED']);
      }
      assert.deepEqual(site.requests, []);
    } finally {
      await strict.close();
    }
  });

  it('continues with other pages while one hangs', async () => {
    const hanging = scrape('/body/silent', { timeout: 2000 });
    site.answer('/quick', page(plainPage));
    assert.equal((await scrape('/quick')).status, 200);
    assert.equal((await hanging).status, 408);
  });
});
