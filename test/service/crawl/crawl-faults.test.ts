import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { crawl, ended, linking, pageRequests, pathOf, pathsOf, startCrawl } from '../../harness/crawl-jobs.ts';
import { eventually } from '../../harness/eventually.ts';
import { bytes, type FaultySite, page, redirect, startFaultySite, status } from '../../harness/faulty-site.ts';
import { growing } from '../../harness/growing.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

describe('crawl of a faulty site', () => {
  let service: TestService;
  let site: FaultySite;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());
  beforeEach(async () => {
    site = await startFaultySite();
    site.answer('/', linking('Home', '/open', '/private/a', '/private/b?x=1'));
    for (const path of ['/open', '/private/a', '/private/b']) site.answer(path, linking(path));
  });
  afterEach(() => site.close());

  const errorsOf = async (id: string) => (await service.call('GET', `/v2/crawl/${id}/errors`)).body;
  const crawled = async (options: object = {}) => {
    const id = await startCrawl(service, { url: site.baseUrl, sitemap: 'skip', ...options });
    return { id, state: await ended(service, id), ...(await errorsOf(id)) };
  };

  describe('robots.txt (CRW-01)', () => {
    it('is obeyed, and the blocked URLs are listed', async () => {
      site.answer('/robots.txt', page('User-agent: *\nDisallow: /private/\n', { 'content-type': 'text/plain' }));
      const { state, errors, robotsBlocked } = await crawled();
      assert.deepEqual(pathsOf(state), ['/', '/open']);
      assert.deepEqual(errors, []);
      assert.deepEqual(robotsBlocked.map(pathOf).sort(), ['/private/a', '/private/b?x=1']);
      assert.equal(state.total, 2);
    });

    it("isn't fetched if it is ignored (CRW-02)", async () => {
      site.answer('/robots.txt', page('User-agent: *\nDisallow: /\n'));
      const { state } = await crawled({ ignoreRobotsTxt: true });
      assert.equal(state.completed, 4);
    });

    it('is read for the configured user agent (CRW-02)', async () => {
      site.answer('/robots.txt', page('User-agent: *\nDisallow: /\n\nUser-agent: TestBot\nDisallow: /private/\n'));
      const { state } = await crawled({ robotsUserAgent: 'TestBot/2.0 (test)' });
      assert.deepEqual(pathsOf(state), ['/', '/open']);
    });

    it('slows no other crawl by a delay for the configured user agent (CRW-02)', async () => {
      site.answer('/robots.txt', page('User-agent: *\nAllow: /\n\nUser-agent: SlowBot\nCrawl-delay: 30\n'));
      const slow = await startCrawl(service, { url: site.baseUrl, sitemap: 'skip', robotsUserAgent: 'SlowBot' });
      await eventually(() => assert.ok(pageRequests(site).length > 0));
      const { state } = await crawled();
      assert.equal(state.completed, 4);
      const { body } = await service.call('GET', `/v2/crawl/${slow}`);
      assert.equal(body.status, 'scraping');
      assert.ok(body.completed <= 1, `${body.completed} pages of the slow one`);
      await service.call('DELETE', `/v2/crawl/${slow}`);
    });

    for (const [name, answer] of [
      ['404', status(404)],
      ['403', status(403)],
      ['a page of HTML', page('<html><body><h1>Not here</h1>Disallow: /</body></html>')],
      ['six redirects', redirect('/redirect/1')],
      ['one redirect', redirect('/moved-robots')],
      ['bytes of no text', bytes(Buffer.from([0, 255, 254, 0, 10, 13, 0]), 'text/plain')],
    ] as const) {
      it(`allows everything with ${name}`, async () => {
        site.answer('/robots.txt', answer);
        for (let hop = 1; hop < 7; hop++) site.answer(`/redirect/${hop}`, redirect(`/redirect/${hop + 1}`));
        site.answer('/moved-robots', page('User-agent: *\nAllow: /'));
        assert.equal((await crawled()).state.completed, 4);
      });
    }

    for (const [name, answer] of [
      ['500', status(500)],
      ['503', status(503)],
      ['a connection that breaks', () => undefined],
    ] as const) {
      it(`forbids everything with ${name}, and the crawl reports why`, async () => {
        site.answer('/robots.txt', name === '500' || name === '503' ? answer : (request) => request.socket.destroy());
        const { state, robotsBlocked } = await crawled();
        assert.equal(state.status, 'failed');
        assert.equal(state.success, true);
        assert.match(state.error, /robots\.txt .*ignoreRobotsTxt/);
        assert.deepEqual(robotsBlocked.map(pathOf), ['/']);
        assert.deepEqual(state.data, []);
      });
    }

    it('is read up to 512 KiB', async () => {
      site.answer(
        '/robots.txt',
        page(`User-agent: *\nDisallow: /private/\n${'# padding\n'.repeat(1_000_000)}Disallow: /\n`),
      );
      assert.deepEqual(pathsOf((await crawled()).state), ['/', '/open']);
    });

    it('can contain rules that match slowly elsewhere', async () => {
      site.answer(
        '/robots.txt',
        page(`User-agent: *\nDisallow: /${'*a'.repeat(200)}$\nDisallow: /*?*$\nCrawl-delay: 0\n`),
      );
      site.answer('/', linking('Home', `/${'a'.repeat(3000)}b`, '/private/b?x=1', '/open'));
      const { state, robotsBlocked } = await crawled();
      assert.deepEqual(pathsOf(state), ['/', '/open']);
      assert.deepEqual(robotsBlocked.map(pathOf), ['/private/b?x=1']);
    });
  });

  describe('sitemaps (CRW-09)', () => {
    const sitemap = (...urls: string[]) =>
      `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls
        .map((url) => `<url><loc>${url}</loc></url>`)
        .join('')}</urlset>`;
    const index = (...urls: string[]) =>
      `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
    const xml = (text: string) => page(text, { 'content-type': 'application/xml' });

    beforeEach(() => {
      site.answer('/', linking('Home'));
      for (const name of ['a', 'b', 'c', 'd']) site.answer(`/${name}`, linking(name, '/linked'));
      site.answer('/linked', linking('Linked'));
    });

    it('are found in robots.txt or at the default path, compressed or not, through indexes', async () => {
      site.answer('/robots.txt', page(`Sitemap: ${site.baseUrl}/maps/index.xml\nSitemap: /maps/index.xml`));
      site.answer('/maps/index.xml', xml(index(`${site.baseUrl}/maps/one.xml.gz`, `${site.baseUrl}/maps/index.xml`)));
      site.answer(
        '/maps/one.xml.gz',
        bytes(gzipSync(sitemap(`${site.baseUrl}/a`, `${site.baseUrl}/b`)), 'application/gzip'),
      );
      assert.deepEqual(pathsOf(await crawl(service, { url: site.baseUrl })), ['/', '/a', '/b', '/linked']);
      assert.equal(site.requests.filter((path) => path === '/maps/index.xml').length, 1);

      site.answer('/robots.txt', status(404));
      site.answer('/sitemap.xml', xml(sitemap(`${site.baseUrl}/c`)));
      const other = await startFaultySite();
      other.answer('/sitemap.xml', xml(sitemap(`${other.baseUrl}/only`, `${site.baseUrl}/a`)));
      other.answer('/only', linking('Only', '/linked'));
      other.answer('/', linking('Home', '/unlisted'));
      const only = await crawl(service, { url: other.baseUrl, sitemap: 'only' });
      await other.close();
      assert.deepEqual(pathsOf(only), ['/only']);
    });

    it('are not all that names pages: the feeds of the start page do, too', async () => {
      const feed = (type: string, href: string) => `<link rel="alternate" type="application/${type}" href="${href}">`;
      const feeds = [
        feed('rss+xml', '/feed/'),
        feed('atom+xml', `${site.baseUrl}/atom.xml`),
        feed('rss+xml', '/none.xml'),
        feed('rss+xml', '/fourth.xml'),
        feed('rss+xml', 'https://elsewhere.test/feed/'),
        feed('json', '/wp-json/'),
      ];
      site.answer('/', `<head><base href="${site.baseUrl}/">${feeds.join('')}</head>${linking('Home', '/a')}`);
      const item = `<item><link>${site.baseUrl}/b?utm_source=rss</link></item><item><link>https://elsewhere.test/</link></item>`;
      site.answer('/feed/', xml(`<rss><channel><link>${site.baseUrl}/channel</link>${item}</channel></rss>`));
      site.answer('/atom.xml', xml('<feed><link rel="self" href="/atom.xml"/><entry><link href="/c"/></entry></feed>'));
      const expected = ['/', '/a', '/b', '/c', '/linked'];
      const state = await crawl(service, { url: site.baseUrl });
      assert.deepEqual(pathsOf(state), expected);
      assert.equal(state.warning, undefined);
      for (const path of ['/feed/', '/atom.xml', '/none.xml'])
        assert.equal(site.requests.filter((each) => each === path).length, 1, path);
      assert.ok(!site.requests.includes('/fourth.xml') && !site.requests.includes('/wp-json/'));
      const map = await service.call('POST', '/v2/map', { url: site.baseUrl });
      assert.deepEqual(map.body.links.map(({ url }: { url: string }) => pathOf(url)).sort(), expected);

      site.answer('/robots.txt', page('User-agent: *\nDisallow: /feed/'));
      site.answer('/atom.xml', status(500));
      const other = await startTestService();
      const some = await crawl(other, { url: site.baseUrl });
      const mapped = await other.call('POST', '/v2/map', { url: site.baseUrl });
      await other.close();
      assert.deepEqual(pathsOf(some), ['/', '/a', '/linked']);
      assert.match(
        some.warning,
        /^A feed could not be read as a whole, so pages may be missing: \S+\/atom\.xml: it returned/,
      );
      assert.match(mapped.body.warning, /This feed could not be read as a whole: it returned status 500\./);
    });

    it('are found in JSON feeds, and in feeds on another host', async () => {
      const away = site.baseUrl.replace('127.0.0.1', 'localhost');
      const feed = (type: string, href: string) => `<link rel="alternate" type="application/${type}" href="${href}">`;
      const feeds = feed('rss+xml', `${away}/away.xml`) + feed('feed+json', '/feed.json');
      site.answer('/', `<head>${feeds}</head>${linking('Home', '/a')}`);
      site.answer('/away.xml', xml(`<rss><channel><item><link>${site.baseUrl}/b</link></item></channel></rss>`));
      site.answer('/feed.json', page(JSON.stringify({ items: [{ id: 'c', url: '/c' }] })));
      assert.deepEqual(pathsOf(await crawl(service, { url: site.baseUrl })), ['/', '/a', '/b', '/c', '/linked']);
    });

    it('are said not to be read if the robots.txt of their host could not be', async () => {
      const other = await startFaultySite();
      other.answer('/robots.txt', status(503));
      const feed = `<link rel="alternate" type="application/rss+xml" href="${other.baseUrl}/feed.xml">`;
      site.answer('/', `<head>${feed}</head>${linking('Home', '/a')}`);
      const { warning } = await crawl(service, { url: site.baseUrl });
      const { body: mapped } = await service.call('POST', '/v2/map', { url: site.baseUrl });
      await other.close();
      const why =
        /\/feed\.xml: (?:This feed .*)?it isn't known whether it may be read\. Its robots\.txt returned status 503/;
      assert.match(warning, why);
      assert.match(mapped.warning, why);
      assert.ok(!other.requests.includes('/feed.xml'));
    });

    it('are skipped on request', async () => {
      site.answer('/', `<link rel="alternate" type="application/rss+xml" href="/feed/">${linking('Home')}`);
      site.answer('/sitemap.xml', xml(sitemap(`${site.baseUrl}/c`)));
      assert.deepEqual(pathsOf(await crawl(service, { url: site.baseUrl, sitemap: 'skip' })), ['/']);
      assert.ok(!site.requests.includes('/sitemap.xml') && !site.requests.includes('/feed/'));
      await crawl(service, { url: site.baseUrl, maxDiscoveryDepth: 0 });
      assert.ok(!site.requests.includes('/feed/'));
    });

    it('are read as far as possible if they are broken', async () => {
      const faults = {
        '/maps/page.xml': page('<!doctype html><html><loc>/x</loc></html>'),
        '/maps/gone.xml': status(404),
        '/maps/cut.xml': xml(`${sitemap(`${site.baseUrl}/a`).slice(0, -9)}<url><loc>${site.baseUrl}/cut-o`),
        '/maps/strange.xml': xml(
          `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><u:urlset><u:url><!-- <loc>${site.baseUrl}/comment</loc> -->
           <u:loc> ${site.baseUrl}/b </u:loc></u:url><url><loc>ftp://x.test/</loc></url><loc>&e;</loc><loc>http://[</loc>
           <loc><![CDATA[${site.baseUrl}/c]]></loc><image:loc>${site.baseUrl}/picture</image:loc></u:urlset>`,
        ),
        '/maps/cut.gz': bytes(
          gzipSync(sitemap(`${site.baseUrl}/d`) + ' '.repeat(100_000)).subarray(0, -20),
          'application/gzip',
        ),
        '/maps/bomb.gz': bytes(gzipSync(Buffer.alloc(100 * 1024 * 1024, ' ')), 'application/gzip'),
        '/maps/self.xml': xml(index(`${site.baseUrl}/maps/self.xml`)),
      };
      for (const [path, answer] of Object.entries(faults)) site.answer(path, answer);
      site.answer('/sitemap.xml', xml(index(...Object.keys(faults).map((path) => site.baseUrl + path))));
      const state = await crawl(service, { url: site.baseUrl });
      assert.deepEqual(pathsOf(state), ['/', '/a', '/b', '/c', '/d', '/linked']);
    });

    it('are limited in number', async () => {
      await site.close();
      site = await startFaultySite({
        otherwise: (_request, response, url) => {
          response.writeHead(200, { 'content-type': 'application/xml' });
          const next = (number: number) => `${site.baseUrl}/m${number}.xml`;
          const number = Number(/m(\d+)/.exec(url.pathname)?.[1] ?? 0);
          response.end(index(next(number * 2 + 1), next(number * 2 + 2)));
        },
      });
      site.answer('/robots.txt', status(404));
      site.answer('/', linking('Home'));
      const state = await crawl(service, { url: site.baseUrl });
      assert.deepEqual(pathsOf(state), ['/']);
      assert.ok(site.requests.length < 300, `${site.requests.length} requests`);
    });
  });

  it('reports failed pages as page errors and continues with the others (CRW-05)', async () => {
    const faults = {
      '/redirect/loop': /redirect/,
      '/redirect/a': /redirect/,
      '/body/too-long': /./,
      '/body/endless': /./,
      '/body/shorter': /./,
      '/body/dropped': /./,
      '/body/bad-chunk': /./,
      '/body/no-http': /./,
      '/body/silent': /./,
      '/bomb/gzip': /./,
      '/bomb/br': /./,
      '/encoded/gzip-lie': /./,
      '/status/404': /404/,
      '/status/500': /500/,
    };
    site.answer('/status/500', status(500));
    site.answer(
      '/',
      linking('Home', ...Object.keys(faults), '/open', 'http://[', 'javascript:alert(1)', 'http://a:b@c/'),
    );
    // One of them never ends, and the others must within the timeout.
    await growing(1000, async (timeout) => {
      const { state, errors } = await crawled({ maxDiscoveryDepth: 1, scrapeOptions: { timeout } });
      assert.equal(state.status, 'completed');
      assert.deepEqual(pathsOf(state), ['/', '/open']);
      const failed = new Map(errors.map((error: { url: string; error: string }) => [pathOf(error.url), error.error]));
      assert.deepEqual([...failed.keys()].sort(), Object.keys(faults).sort());
      for (const [path, expected] of Object.entries(faults)) assert.match(String(failed.get(path)), expected, path);
      for (const error of errors)
        assert.ok(error.code && error.id && Date.parse(error.timestamp), JSON.stringify(error));
    });
  });

  it('waits as long as a host asks, and gives up if that is too long (CRW-10)', async () => {
    let asked = 0;
    site.answer('/busy', (request, response, url) => {
      asked++;
      const answer = asked === 1 ? status(429, { 'retry-after': '1' }) : page(linking('Busy'));
      answer(request, response, url);
    });
    site.answer('/', linking('Home', '/busy', '/open'));
    const patient = await crawled();
    assert.deepEqual(pathsOf(patient.state), ['/', '/busy', '/open']);
    assert.equal(asked, 2);

    site.answer('/', linking('Home', '/status/503', '/a', '/b', '/c'));
    const other = await startFaultySite();
    other.answer('/', linking('Elsewhere'));
    site.answer('/', linking('Home', '/status/503', ...['a', 'b', 'c'].map((name) => `/${name}`), `${other.baseUrl}/`));
    const { state, errors } = await crawled({ maxConcurrency: 1, allowExternalLinks: true });
    await other.close();
    assert.equal(state.status, 'completed');
    assert.equal(state.completed, 2);
    assert.equal(errors.length, 4);
    for (const { code, error } of errors) {
      assert.equal(code, 'HOST_UNAVAILABLE');
      assert.match(error, /asked to wait 86400 s/);
    }
    assert.equal(pageRequests(site).filter((path) => path === '/status/503').length, 1);
  });

  it('gives up on a host that keeps refusing (CRW-10)', async () => {
    const refusing = await startFaultySite({ otherwise: status(429, { 'retry-after': '0' }) });
    refusing.answer('/robots.txt', status(404));
    const id = await startCrawl(service, { url: refusing.baseUrl, sitemap: 'skip' });
    const state = await ended(service, id);
    await refusing.close();
    assert.equal(state.status, 'failed');
    assert.match(state.error, /status 429/);
    assert.equal((await errorsOf(id)).errors[0].code, 'HOST_UNAVAILABLE');
    assert.ok(pageRequests(refusing).length <= 5);
  });

  it('waits for the delay between requests, one at a time', async () => {
    let arrived = 0;
    let active = 0;
    let most = 0;
    const paced = await startFaultySite({
      otherwise: (_request, response, url) => {
        arrived = performance.now();
        most = Math.max(most, ++active);
        response.once('close', () => active--);
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end(linking(url.pathname, ...(url.pathname === '/' ? ['/1', '/2', '/3'] : [])));
      },
    });
    paced.answer('/robots.txt', page('User-agent: *\nCrawl-delay: 0.2'));
    const begun = performance.now();
    const state = await crawl(service, { url: paced.baseUrl, sitemap: 'skip', delay: 0.1 });
    await paced.close();
    assert.equal(state.completed, 4);
    assert.equal(most, 1);
    // The requests start on time; how late they arrive depends on the machine.
    assert.ok(arrived - begun >= 3 * 200);
  });

  it('never has more pages in flight than maxConcurrency', async () => {
    let active = 0;
    let most = 0;
    const links = Array.from({ length: 20 }, (_, index) => `/${index}`);
    const full = Promise.withResolvers<void>();
    const wide = await startFaultySite({
      otherwise: (_request, response, url) => {
        most = Math.max(most, ++active);
        if (active === 3) full.resolve();
        const whenFull = url.pathname === '/' ? Promise.resolve() : full.promise;
        // Another one would have time to come.
        whenFull
          .then(() => sleep(30))
          .then(() => {
            active--;
            response.writeHead(200, { 'content-type': 'text/html' });
            response.end(linking(url.pathname, ...(url.pathname === '/' ? links : [])));
          });
      },
    });
    wide.answer('/robots.txt', status(404));
    const state = await crawl(service, { url: wide.baseUrl, sitemap: 'skip', maxConcurrency: 3 });
    await wide.close();
    assert.equal(state.completed, 21);
    assert.equal(most, 3);
  });

  it('never fetches its own service, metadata addresses, or denied private addresses', async () => {
    const refused = async (url: string, from: TestService = service) =>
      (await from.call('POST', '/v2/crawl', { url })).status;
    assert.equal(await refused(`${service.baseUrl}/`), 403);
    assert.equal(await refused('http://169.254.169.254/latest'), 403);
    const strict = await startTestService({ denyPrivateTargets: true });
    try {
      assert.equal(await refused(site.baseUrl, strict), 403);
      assert.equal((await strict.call('POST', '/v2/map', { url: site.baseUrl })).status, 403);
      const preview = await strict.call('POST', '/v2/crawl/params-preview', {
        url: site.baseUrl,
        prompt: 'only the blog',
      });
      assert.equal(preview.status, 403);
      const batch = await strict.call('POST', '/v2/batch/scrape', { urls: [`${site.baseUrl}/`] });
      const state = await ended(strict, batch.body.id, '/v2/batch/scrape');
      assert.equal(state.completed, 0);
      const { body } = await strict.call('GET', `/v2/batch/scrape/${batch.body.id}/errors`);
      assert.equal(body.errors[0].code, 'SCRAPE_TARGET_REFUSED');
    } finally {
      await strict.close();
    }
    const before = site.requests.length;
    const id = await startCrawl(service, { url: site.baseUrl, sitemap: 'skip', limit: 1 });
    await ended(service, id);
    assert.ok(site.requests.length > before);
    site.answer('/', linking('Home', `${service.baseUrl}/v2/crawl/active`));
    const external = await crawled({ allowExternalLinks: true });
    assert.equal(external.state.completed, 1);
  });
});
