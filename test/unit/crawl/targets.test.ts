import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { jobPolicy } from '../../../src/service/assistants/agent/run/web.ts';
import type { JobRequest } from '../../../src/service/assistants/agent/store/job-table.ts';
import { createAddressPolicy } from '../../../src/service/platform/network/address-policy/address-policy.ts';
import type { Fetcher } from '../../../src/service/platform/network/fetch.ts';
import { createHttpFetcher } from '../../../src/service/platform/network/http-fetcher.ts';
import { createLargeMaps } from '../../../src/service/web/crawl/map/large-maps.ts';
import { mapSite } from '../../../src/service/web/crawl/map/map.ts';
import { createRobotsCache } from '../../../src/service/web/crawl/site/robots-cache.ts';
import { walkSitemaps } from '../../../src/service/web/crawl/site/sitemaps.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { bytes, type FaultySite, page, redirect, startFaultySite, status } from '../../harness/faulty-site.ts';

const { signal } = new AbortController();

describe('what a crawl fetches for itself', () => {
  let site: FaultySite;
  let forbidden: FaultySite;
  let fetcher: Fetcher;
  beforeEach(async () => {
    [site, forbidden] = await Promise.all([startFaultySite(), startFaultySite()]);
    const policy = createAddressPolicy({
      denyPrivate: false,
      ownPorts: () => [forbidden.port],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    fetcher = createHttpFetcher({ policy, userAgent: 'test' });
  });
  afterEach(() => Promise.all([site.close(), forbidden.close(), fetcher.close()]));

  it('follows no robots.txt redirect to a blocked address, and treats it as disallowed (SSR-05)', async () => {
    for (const target of [
      `${forbidden.baseUrl}/robots.txt`,
      'http://169.254.169.254/robots.txt',
      'file:///etc/hosts',
    ]) {
      site.answer('/robots.txt', redirect(target));
      const robots = await createRobotsCache(fetcher, createFakeClock()).of(
        { origin: site.baseUrl, skipTlsVerification: false },
        signal,
      );
      assert.ok(!robots.allows('/'));
      assert.match(robots.unreachable ?? '', /is blocked/);
    }
    assert.deepEqual(forbidden.requests, []);
  });

  it('keeps a limited amount of robots.txt, the newest (BUD-13)', async () => {
    const asked: string[] = [];
    const text = `${'#'.repeat(500_000)}\nUser-agent: *\nDisallow: /x`;
    const body = new TextEncoder().encode(text);
    const robots = createRobotsCache(
      {
        async fetch(url) {
          asked.push(url);
          return { url, status: 200, headers: {}, body, truncated: false, hops: [url] };
        },
      },
      createFakeClock(),
    );
    const read = async (index: number) => {
      const { allows } = await robots.of({ origin: `http://${index}.test`, skipTlsVerification: false }, signal, 'x');
      assert.ok(!allows('/x'));
    };
    for (let index = 0; index < 50; index++) await read(index);
    await read(49);
    await read(25);
    assert.equal(asked.length, 50);
    await read(0);
    assert.equal(asked.length, 51);
  });

  it('follows no sitemap to one, whether named, listed or redirected', async () => {
    site.answer('/away.xml', redirect(`${forbidden.baseUrl}/sitemap.xml`, 307));
    site.answer('/good.xml', page(`<urlset><url><loc>${site.baseUrl}/a</loc></url></urlset>`));
    const index = [`${forbidden.baseUrl}/s.xml`, 'http://169.254.169.254/s.xml', 'file:///etc/passwd', '/relative'];
    site.answer(
      '/index.xml',
      page(`<sitemapindex>${index.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`),
    );
    const start = ['/away.xml', '/index.xml', '/good.xml'].map((path) => site.baseUrl + path);
    const found: string[] = [];
    for await (const urls of walkSitemaps(fetcher, [`${forbidden.baseUrl}/x.xml`, ...start], signal))
      found.push(...urls);
    assert.deepEqual(found, [`${site.baseUrl}/a`]);
    assert.deepEqual(forbidden.requests, []);
  });

  it('reads sitemaps only up to their limits on files and URLs', async () => {
    const urls = (count: number) =>
      Array.from({ length: count }, (_, index) => `<url><loc>http://a.test/${index}</loc></url>`);
    site.answer('/long.xml', page(`<urlset>${urls(3000).join('')}</urlset>`));
    const read = async (limits: { urls: number; files: number; depth: number }, path = '/long.xml') => {
      let count = 0;
      for await (const found of walkSitemaps(fetcher, [site.baseUrl + path], signal, { limits })) count += found.length;
      return count;
    };
    assert.equal(await read({ urls: 2500, files: 5, depth: 1 }), 2500);
    const links = Array.from(
      { length: 9 },
      (_, index) => `<sitemap><loc>${site.baseUrl}/long.xml?${index}</loc></sitemap>`,
    );
    site.answer('/many.xml', page(`<sitemapindex>${links.join('')}</sitemapindex>`));
    assert.equal(await read({ urls: 100_000, files: 4, depth: 1 }, '/many.xml'), 3 * 3000);
    assert.equal(await read({ urls: 100_000, files: 40, depth: 0 }, '/many.xml'), 0);
  });

  it('hands on URLs some hundred at a time, up to 30 million characters of them, and says so (CRW-09)', async () => {
    const base = `${site.baseUrl}/${'x'.repeat(3900)}/`;
    const urls = Array.from({ length: 8000 }, (_, index) => `<url><loc>${index}</loc></url>`);
    site.answer('/based.xml', page(`<urlset xml:base="${base}">${urls.join('')}</urlset>`));
    const lacking: string[] = [];
    const withUrls: string[] = [];
    let count = 0;
    for await (const found of walkSitemaps(fetcher, [`${site.baseUrl}/based.xml`], signal, {
      onUrls: (file) => withUrls.push(file),
      onLacking: (_, why) => lacking.push(why),
    })) {
      assert.ok(found.length <= 500);
      count += found.length;
    }
    assert.equal(count, Math.ceil(30_000_000 / `${base}4000`.length));
    assert.deepEqual(withUrls, [`${site.baseUrl}/based.xml`]);
    assert.deepEqual(lacking, ['at most 200 files, 3 levels and 100000 URLs of 30 million characters are read']);
  });

  it('takes what is longer than a tag can be for text, and says so (CRW-09)', async () => {
    const base = (attributes: number) =>
      `<urlset xml:base="http://a.test/" ${'b="x" '.repeat(attributes)}><url><loc>c</loc></url></urlset>`;
    site.answer('/long-tag.xml', page(base(50_000)));
    site.answer('/tag.xml', page(base(500)));
    const found: string[] = [];
    const lacking: string[] = [];
    const files = ['/long-tag.xml', '/tag.xml'].map((path) => site.baseUrl + path);
    const onLacking = (url: string, why: string) => lacking.push(`${url.slice(site.baseUrl.length)}: ${why}`);
    for await (const urls of walkSitemaps(fetcher, files, signal, { onLacking })) found.push(...urls);
    assert.deepEqual(found, [`${site.baseUrl}/c`, 'http://a.test/c']);
    assert.deepEqual(lacking, ['/long-tag.xml: some of its XML could not be read']);
  });

  it('reads no JSON feed that is too long to be parsed at once, and says so', async () => {
    const feed = JSON.stringify({ items: [{ url: `${site.baseUrl}/a` }, 7, { id: 'b' }], title: 'x'.repeat(600_000) });
    site.answer('/long.json', page(feed));
    site.answer('/short.json', page(feed.replace(/x+/, 'x')));
    const found: string[] = [];
    const lacking: string[] = [];
    const onLacking = (url: string, why: string) => lacking.push(`${url.slice(site.baseUrl.length)} ${why}`);
    const feeds = ['/long.json', '/short.json'].map((path) => site.baseUrl + path);
    for await (const urls of walkSitemaps(fetcher, feeds, signal, { onLacking })) found.push(...urls);
    assert.deepEqual(found, [`${site.baseUrl}/a`]);
    assert.deepEqual(lacking, ['/long.json it is JSON of more than 524288 characters']);
  });

  it('BUD-13: remembers of endless indexes only the files that it reads', async () => {
    const asked: string[] = [];
    const endless: Pick<Fetcher, 'fetch'> = {
      fetch: async (url) => {
        const others = Array.from({ length: 2000 }, (_, index) => `<loc>/${asked.length}-${index}.xml</loc>`);
        const body = new TextEncoder().encode(`<sitemapindex>${others.join('')}</sitemapindex>`);
        asked.push(url);
        return { url, status: 200, headers: {}, body, truncated: false, hops: [url] };
      },
    };
    const { add } = Set.prototype;
    let most = 0;
    Set.prototype.add = function <Value>(value: Value) {
      add.call(this, value);
      most = Math.max(most, this.size);
      return this;
    };
    try {
      const limits = { urls: 10, files: 20, depth: 3 };
      for await (const found of walkSitemaps(endless, ['http://a.test/0.xml'], signal, { limits }))
        assert.deepEqual(found, []);
    } finally {
      Set.prototype.add = add;
    }
    assert.equal(asked.length, 20);
    assert.ok(most <= 50, `${most} are remembered`);
  });

  it('skips blocked pages of a map, and continues', async () => {
    const asked: string[] = [];
    const { links } = await mapSite(
      {
        url: new URL(`${site.baseUrl}/`),
        team: 'red',
        signal,
        sitemap: 'skip',
        includeSubdomains: true,
        ignoreQueryParameters: true,
        limit: 100,
        location: undefined,
      },
      {
        fetcher,
        robots: createRobotsCache(fetcher, createFakeClock()),
        largeMaps: createLargeMaps(),
        scraper: {
          scrape: async ({ url }) => {
            asked.push(url);
            if (url.endsWith('/bad')) throw new Error('refused');
            const links = url.endsWith('/') ? ['/bad', '/good'].map((path) => site.baseUrl + path) : [];
            return {
              document: { metadata: {} },
              links,
              finalUrl: url,
              statusCode: 200,
              contentType: 'text/html',
              creditsUsed: 1,
              replay: {} as never,
            };
          },
        },
      },
    );
    assert.deepEqual(
      links.map(({ url }) => new URL(url).pathname),
      ['/', '/bad', '/good'],
    );
    assert.equal(asked.length, 3);
  });

  it("keeps what an agent's job fetches beside its pages to the hosts that its task names (SSR-10)", async () => {
    const inner = await startFaultySite();
    try {
      const request = { urls: [], prompt: `Read ${site.baseUrl}/` } as unknown as JobRequest;
      const wide = createAddressPolicy({ denyPrivate: false, ownPorts: () => [] });
      const policy = jobPolicy(request, wide);
      const robots = createRobotsCache(fetcher, createFakeClock());
      const map = async () =>
        await mapSite(
          {
            url: new URL(`${site.baseUrl}/`),
            team: 'red',
            signal,
            sitemap: 'only',
            includeSubdomains: true,
            ignoreQueryParameters: true,
            limit: 100,
            location: undefined,
            policy,
          },
          { fetcher, robots, scraper: { scrape: () => assert.fail() }, largeMaps: createLargeMaps() },
        );
      site.answer('/robots.txt', page(`Sitemap: ${inner.baseUrl}/s.xml\nSitemap: ${site.baseUrl}/index.xml\n`));
      const index = [`${inner.baseUrl}/t.xml`, `${site.baseUrl}/away.xml`, `${site.baseUrl}/good.xml`];
      const listed = index.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('');
      site.answer('/index.xml', page(`<sitemapindex>${listed}</sitemapindex>`));
      site.answer('/away.xml', redirect(`${inner.baseUrl}/u.xml`));
      site.answer('/good.xml', page(`<urlset><url><loc>${site.baseUrl}/a</loc></url></urlset>`));
      assert.deepEqual(
        (await map()).links.map(({ url }) => url),
        [`${site.baseUrl}/a`],
      );
      site.answer('/robots.txt', redirect(`${inner.baseUrl}/robots.txt`));
      const under = { origin: site.baseUrl, skipTlsVerification: false, policy: jobPolicy(request, wide) };
      assert.match((await robots.of(under, signal)).unreachable ?? '', /that the task doesn't name/);
      assert.deepEqual(inner.requests, []);
      // Others, who may, aren't refused what the job was.
      inner.answer('/robots.txt', page('User-agent: *\nDisallow: /x'));
      const others = await robots.of({ origin: site.baseUrl, skipTlsVerification: false }, signal);
      assert.deepEqual([others.unreachable, others.allows('/x')], [undefined, false]);
    } finally {
      await inner.close();
    }
  });

  it('reads feeds as sitemaps, and CDATA anywhere in a URL', async () => {
    site.answer('/cdata.xml', page('<urlset><url><loc>http://a.test/<![CDATA[x?a&b]]>&amp;c</loc></url></urlset>'));
    site.answer(
      '/rss.xml',
      page(`<?xml version="1.0"?><rss><channel><link>http://a.test/</link><item><link>http://a.test/1?a&amp;b</link></item>
        <item><link><![CDATA[http://a.test/2]]></link><link rel="x" href="http://a.test/no"/></item></channel></rss>`),
    );
    site.answer(
      '/atom.xml',
      page(`<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://a.test/"/><entry><link href="http://a.test/3"/>
        <link rel="self" href="http://a.test/self"/><link rel='alternate' href='http://a.test/4'/></entry></feed>`),
    );
    const found: string[] = [];
    const start = ['/cdata.xml', '/rss.xml', '/atom.xml'].map((path) => site.baseUrl + path);
    for await (const urls of walkSitemaps(fetcher, start, signal)) found.push(...urls);
    assert.deepEqual(
      found.map((url) => url.replace('http://a.test', '')),
      ['/x?a&b&c', '/1?a&b', '/2', '/3', '/4'],
    );
  });

  it('reads JSON feeds, and says which are cut', async () => {
    const feed = JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      home_page_url: 'http://a.test/',
      items: [{ url: 'http://a.test/1?a&amp=b' }, { id: 'http://a.test/2' }, { id: '3', url: '/3' }, { id: '4' }, null],
    });
    site.answer('/feed.json', page(feed));
    site.answer('/cut.json', page(feed.slice(0, -20)));
    site.answer('/other.json', page('{"items": {"url": "http://a.test/5"}}'));
    const lacking: string[] = [];
    const found: string[] = [];
    const start = ['/feed.json', '/cut.json', '/other.json'].map((path) => site.baseUrl + path);
    const onLacking = (url: string, why: string) => void lacking.push(`${url.replace(site.baseUrl, '')}: ${why}`);
    for await (const urls of walkSitemaps(fetcher, start, signal, { onLacking })) found.push(...urls);
    assert.deepEqual(found, ['http://a.test/1?a&amp=b', 'http://a.test/2', `${site.baseUrl}/3`]);
    assert.deepEqual(lacking, ['/cut.json: its end is missing']);
  });

  it('takes the id of an item of a feed for its URL if it has no link and the id is one', async () => {
    const item = (text: string) => `<item><title>T</title>${text}</item>`;
    const id = (text: string, attributes = '') => `<guid${attributes}>http://a.test/${text}</guid>`;
    site.answer(
      '/ids.xml',
      page(
        `<rss><channel><guid>http://a.test/feed</guid>${[
          item(id('1')),
          item(id('2', ' isPermaLink="true"')),
          item(id('?p=3', ' isPermaLink="false"')),
          item(`${id('?p=4')}<link>http://a.test/4</link>`),
          item(`<link>http://a.test/5</link>${id('?p=5')}`),
          item(`<link/>${id('6')}`),
          item('<guid>7</guid>'),
          item('<guid>tag:a.test,2026:8</guid>'),
          item('<guid><![CDATA[http://a.test/9]]></guid>'),
        ].join('')}<item>${id('10')}`,
      ),
    );
    const found = (await read('/ids.xml')).map((url) => url.replace('http://a.test', ''));
    assert.deepEqual(found, ['/1', '/2', '/4', '/5', '/6', '/9', '/10']);
  });

  /** Returns the paths in sitemaps, or the whole URLs of other sites. */
  const read = async (...paths: string[]) => {
    const found: string[] = [];
    const start = paths.map((path) => site.baseUrl + path);
    for await (const urls of walkSitemaps(fetcher, start, signal)) found.push(...urls);
    return found.map((url) => url.replace(site.baseUrl, ''));
  };
  it('says which files it could not read as a whole, and asks a site that fails once more', async () => {
    const named = ['/gone.xml', '/fails.xml', '/page.xml', '/cut.xml', '/whole.xml', '/busy.xml'];
    const index = [...named, '/long.xml'].map((path) => `<sitemap><loc>${path}</loc></sitemap>`).join('');
    site.answer('/index.xml', page(`<sitemapindex>${index}</sitemapindex>`));
    site.answer('/fails.xml', status(500, { 'retry-after': '0' }));
    site.answer('/page.xml', page('<!doctype html><title>Oops</title>'));
    site.answer('/cut.xml', bytes(gzipSync(sitemap('/1', '/2')).subarray(0, -20), 'application/gzip'));
    site.answer('/whole.xml', page(sitemap('/3')));
    site.answer('/long.xml', page(sitemap('/5', '/6', '/7')));
    let asked = 0;
    site.answer('/busy.xml', (...args) =>
      (asked++ === 0 ? status(503, { 'retry-after': '0' }) : page(sitemap('/4')))(...args),
    );
    const lacking = async (...start: string[]) => {
      const said: string[] = [];
      const found: string[] = [];
      const urls = start.map((path) => site.baseUrl + path);
      const onLacking = (url: string, why: string) => said.push(`${url.replace(site.baseUrl, '')}: ${why}`);
      const guessed = new Set([`${site.baseUrl}/none.xml`, `${site.baseUrl}/fails.xml`, `${site.baseUrl}/page.xml`]);
      const limits = { urls: 5, files: 20, depth: 1 };
      const how = start[0] === '/index.xml' ? { onLacking, limits } : { onLacking, guessed };
      for await (const some of walkSitemaps(fetcher, urls, signal, how)) found.push(...some);
      return {
        said,
        found: found.map((url) => url.replace(site.baseUrl, '')).filter((path) => /^\/[3-7]$/.test(path)),
      };
    };
    assert.deepEqual(await lacking('/index.xml'), {
      said: [
        '/gone.xml: it returned status 404',
        '/fails.xml: it returned status 500',
        '/page.xml: it is a web page',
        '/cut.xml: its end is missing',
        '/long.xml: at most 20 files, 1 levels and 5 URLs of 30 million characters are read',
      ],
      found: ['/3', '/4', '/5', '/6'],
    });
    // Nobody named them: only a site that fails may have them.
    assert.deepEqual((await lacking('/none.xml', '/page.xml', '/whole.xml')).said, []);
    assert.deepEqual((await lacking('/fails.xml')).said, ['/fails.xml: it returned status 500']);
  });

  const sitemap = (...locations: string[]) =>
    `<urlset>${locations.map((location) => `<url><loc>${location}</loc></url>`).join('')}</urlset>`;

  it('reads the members of a compressed sitemap, whatever follows them and whatever their checksums are', async () => {
    const [text, packed] = [sitemap('/1', '/2'), gzipSync(sitemap('/1', '/2'))];
    const changed = (fromEnd: number) => {
      const copy = Buffer.from(packed);
      copy[copy.length - fromEnd] = (copy[copy.length - fromEnd] ?? 0) ^ 0xff;
      return copy;
    };
    const named = Buffer.concat([packed.subarray(0, 3), Buffer.from([0x1e]), packed.subarray(4, 10)]);
    const files: Record<string, Uint8Array> = {
      'a comment': Buffer.concat([packed, Buffer.from('<!-- cached -->')]),
      zeros: Buffer.concat([packed, Buffer.alloc(600)]),
      members: Buffer.concat([
        gzipSync(text.slice(0, 30)),
        gzipSync(text.slice(30)),
        Buffer.from('\x1f\x8bend', 'latin1'),
      ]),
      'a wrong checksum': changed(8),
      'a wrong length': changed(1),
      'no end': packed.subarray(0, -8),
      'all fields of a header': Buffer.concat([named, Buffer.from('\x02\0xxname\0comment\0hh'), packed.subarray(10)]),
      'a second compression': gzipSync(packed),
    };
    for (const [what, file] of Object.entries(files)) {
      site.answer('/packed.xml.gz', bytes(file, 'application/gzip'));
      assert.deepEqual(await read('/packed.xml.gz'), ['/1', '/2'], what);
    }
    const long = gzipSync(sitemap(...Array.from({ length: 3000 }, (_, index) => `/${index * 7919}`)));
    site.answer('/packed.xml.gz', bytes(long.subarray(0, -2000), 'application/gzip'));
    assert.ok((await read('/packed.xml.gz')).length > 100);
  });

  it('resolves relative URLs against the file that has them, after redirects', async () => {
    site.answer(
      '/a/index.xml',
      page('<sitemapindex><sitemap><loc>list.xml</loc></sitemap><sitemap><loc>/feed</loc></sitemap></sitemapindex>'),
    );
    site.answer('/a/list.xml', redirect('/b/list.xml'));
    site.answer(
      '/b/list.xml',
      page(sitemap('/1', '2', './3', `//${new URL(site.baseUrl).host}/4`, '', 'mailto:a@b.test', 'with space')),
    );
    site.answer('/feed', page('<rss><channel><item><link>/5</link></item></channel></rss>'));
    site.answer('/atom', page('<feed xml:base="/posts/"><entry><link href="6"/></entry></feed>'));
    assert.deepEqual(await read('/a/index.xml', '/atom'), [
      '/posts/6',
      '/1',
      '/b/2',
      '/b/3',
      '/4',
      '/b/with%20space',
      '/5',
    ]);
  });

  it('reads sitemaps and feeds by their namespaces, whatever the prefixes of names are', async () => {
    const sitemaps = 'http://www.sitemaps.org/schemas/sitemap/0.9';
    const images = 'http://www.google.com/schemas/sitemap-image/1.1';
    const atom = 'http://www.w3.org/2005/Atom';
    const files: Record<string, [xml: string, paths: string[]]> = {
      'a prefix of its own': [
        `<sm:urlset xmlns:sm="${sitemaps}"><sm:url><sm:loc>/1</sm:loc></sm:url></sm:urlset>`,
        ['/1'],
      ],
      'elements without a namespace': [
        `<urlset xmlns="${sitemaps}"><url xmlns=""><loc>/1</loc></url></urlset>`,
        ['/1'],
      ],
      'images under another prefix': [
        `<urlset xmlns="${sitemaps}" xmlns:x="${images}"><url><loc>/1</loc><x:image><x:loc>/1.png</x:loc></x:image><x:loc>/2.png</x:loc></url></urlset>`,
        ['/1'],
      ],
      'images without a prefix': [
        `<urlset xmlns="${sitemaps}"><url><loc>/1</loc><image xmlns="${images}"><loc>/1.png</loc></image></url></urlset>`,
        ['/1'],
      ],
      'pages and sitemaps': [
        `<urlset><url><loc>/1</loc></url><sitemap><loc>/inner.xml</loc></sitemap></urlset>`,
        ['/1', '/inner'],
      ],
      'an entry of Atom': [
        `<atom:feed xmlns:atom="${atom}"><atom:link href="/home"/><atom:entry><atom:link rel="edit" href="/edit"/><atom:link href="/1"/><atom:source><atom:link href="/other"/></atom:source></atom:entry></atom:feed>`,
        ['/1'],
      ],
      'links of another vocabulary': [
        `<rss xmlns:atom="${atom}"><item><atom:link href="/self"/><link>/1</link></item></rss>`,
        ['/1'],
      ],
      'bases in each other': [
        `<feed xmlns="${atom}" xml:base="/a/"><entry xml:base="b/"><link href="1"/></entry><entry><link xml:base="c/" href="2"/></entry><entry><link href="3"/></entry></feed>`,
        ['/a/b/1', '/a/c/2', '/a/3'],
      ],
      'a base of RSS': ['<rss xml:base="/a/"><channel><item><link>1</link></item></channel></rss>', ['/a/1']],
      'an unfinished last URL': ['<urlset><url><loc>/1</loc></url><url><loc>/2', ['/1']],
    };
    site.answer('/inner.xml', page(sitemap('/inner')));
    for (const [what, [xml, paths]] of Object.entries(files)) {
      site.answer('/names.xml', page(xml));
      assert.deepEqual(await read('/names.xml'), paths, what);
    }
  });

  it('reads broken XML of sites, and loses nothing after what is broken', async () => {
    const feed = (first: string) =>
      `<rss><channel><link>/home</link><item>${first}<link>/1</link></item><item><title>"</title><link>/2</link></item></channel></rss>`;
    const both = ['/1', '/2'];
    const images = 'http://www.google.com/schemas/sitemap-image/1.1';
    const files: Record<string, [xml: string, paths: string[]]> = {
      'a smaller than sign and a digit': [feed('<title>I <3 you</title>'), both],
      'a smaller than sign and a letter': [feed('<title>a<b and c</title>'), both],
      'an unclosed title': [feed('<title>T'), both],
      'HTML that is not escaped': [feed('<description><p>x<br>y <img src=a.png></description>'), both],
      'an unclosed quote': [feed('<description><a href="x>y</a></description>'), both],
      'an element of an extension': [feed('<x:item><guid>/no</guid></x:item>'), both],
      'a larger than sign in a value': ['<rss><item><link title="a > b" href="/1"/></item></rss>', ['/1']],
      'text after an empty link': ['<rss><item><link />/1<guid>/no</guid></item></rss>', ['/1']],
      'a relation in capital letters': ['<feed><entry><link rel="Alternate" href="/1"/></entry></feed>', ['/1']],
      'an unclosed element in a URL': ['<urlset><url><mobile:mobile><loc>/1</loc></url></urlset>', ['/1']],
      'other names': ['<pages><page><loc>/1</loc></page></pages>', ['/1']],
      'entries of a sitemap': ['<urlset><entry><loc>/1</loc></entry></urlset>', ['/1']],
      'an undeclared prefix': ['<urlset xmlns="A"><url><ns1:loc>/1</ns1:loc></url></urlset>', ['/1']],
      'another namespace': ['<urlset xmlns="A"><url xmlns="B"><loc xmlns="A">/1</loc></url></urlset>', ['/1']],
      'an unclosed image': [
        `<urlset xmlns:i="${images}"><url><i:image><i:loc>/1.png</i:loc><loc>/1</loc></url><url><loc>/2</loc></urlset>`,
        both,
      ],
      'images in other namespaces': [
        '<urlset xmlns:image="x"><url><image:loc>/1.png</image:loc><loc>/1</loc></url></urlset>',
        ['/1'],
      ],
      'unclosed URLs': [
        `<urlset>${Array.from({ length: 3000 }, (_, at) => `<url><loc>/${at}</loc>`).join('')}</urlset>`,
        Array.from({ length: 3000 }, (_, at) => `/${at}`),
      ],
    };
    for (const [what, [xml, paths]] of Object.entries(files)) {
      site.answer('/broken.xml', page(xml));
      const lacking: string[] = [];
      const found: string[] = [];
      const onLacking = (_url: string, why: string) => void lacking.push(why);
      for await (const urls of walkSitemaps(fetcher, [`${site.baseUrl}/broken.xml`], signal, { onLacking }))
        found.push(...urls.map((url) => url.replace(site.baseUrl, '')));
      assert.deepEqual(found, paths, what);
      assert.deepEqual(lacking, [], what);
    }
  });

  it('says of which sitemaps some of the XML could not be read, and reads the rest', async () => {
    const url = '<url><loc>/1</loc></url>';
    const many = (xml: (at: number) => string) => Array.from({ length: 1200 }, (_, at) => xml(at)).join('');
    const files: Record<string, [xml: string, paths: string[]]> = {
      nesting: [`<urlset>${many((at) => `<x${at} xmlns="A">`)}${url}</urlset>`, ['/1']],
      attributes: [`<urlset ${many((at) => ` xmlns:x${at}="A"`)}>${url}</urlset>`, ['/1']],
      'an unclosed comment': [`<urlset>${url}<!-- ${url}</urlset>`, ['/1']],
      'an unclosed CDATA section': [`<urlset><![CDATA[ ${url}</urlset>`, ['/1']],
    };
    for (const [what, [xml, paths]] of Object.entries(files)) {
      site.answer('/lacking.xml', page(xml));
      const lacking: string[] = [];
      const found: string[] = [];
      const onLacking = (_url: string, why: string) => void lacking.push(why);
      for await (const urls of walkSitemaps(fetcher, [`${site.baseUrl}/lacking.xml`], signal, { onLacking }))
        found.push(...urls.map((each) => each.replace(site.baseUrl, '')));
      assert.deepEqual(found, paths, what);
      assert.deepEqual(lacking, ['some of its XML could not be read'], what);
    }
  });

  it('decodes a sitemap as its XML declaration, its Content-Type or its byte order mark says', async () => {
    const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>${sitemap('/caf\u00e9')}`;
    const files: [Buffer, string?][] = [
      [Buffer.from(declared('ISO-8859-1'), 'latin1')],
      [Buffer.from(declared('windows-1252').replaceAll('"', "'"), 'latin1')],
      [gzipSync(Buffer.from(declared('ISO-8859-1'), 'latin1'))],
      [Buffer.from(sitemap('/caf\u00e9'), 'latin1'), 'application/xml; charset=iso-8859-1'],
      [Buffer.from(`\ufeff${declared('UTF-16')}`, 'utf16le')],
      [Buffer.from(declared('UTF-8'))],
      [Buffer.from(declared('unknown'))],
    ];
    for (const [file, contentType = 'application/xml'] of files) {
      site.answer('/encoded.xml', bytes(file, contentType));
      assert.deepEqual(await read('/encoded.xml'), ['/caf%C3%A9'], file.toString('latin1'));
    }
  });

  it('reads around comments and CDATA sections in a URL', async () => {
    site.answer(
      '/marked.xml',
      page(sitemap('/a<!-- b -->c', '\n <![CDATA[ /d?e&f ]]>\n', '/g?<![CDATA[h&i]]>&amp;j', '<!-- none -->')),
    );
    assert.deepEqual(await read('/marked.xml'), ['/ac', '/d?e&f', '/g?h&i&j']);
  });
});
