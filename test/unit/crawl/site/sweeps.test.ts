import assert from 'node:assert/strict';
import { createEstimates } from '../../../../src/service/web/crawl/estimate.ts';
import { createPathMatcher } from '../../../../src/service/web/crawl/scope/path-rules.ts';
import { createSweeps } from '../../../../src/service/web/crawl/site/sweeps.ts';
import { sweepPartsOf, type TestPages } from '../../../harness/test-pages.ts';

const page = (...links: string[]) => ({ links, length: 100 });

describe('a look at a site', () => {
  const pages: TestPages = {
    '/': page('/shop', '/blog', '/shop/a?utm_source=home'),
    '/shop': page('/shop/a', '/shop/b'),
    '/shop/a': page('/'),
    '/shop/b': page('/'),
    '/blog': page('/blog/a'),
    '/blog/a': page('/'),
    '/hidden': page('/hidden/a'),
    '/hidden/a': page(),
  };
  const { signal } = new AbortController();
  const at = (path: string) => ({ url: new URL(path, 'https://site.test'), team: 'a', signal });
  let read: string[];
  let parts: ReturnType<typeof sweepPartsOf>;
  let sweeps: ReturnType<typeof createSweeps>;
  beforeEach(() => {
    read = [];
    parts = sweepPartsOf(pages, read);
    sweeps = createSweeps(parts);
  });
  afterEach(() => sweeps.close());

  it('is made once in ten minutes, unless somebody asks for another one', async () => {
    const { site, isComplete } = await sweeps.look(at('/'));
    const first = read.splice(0);
    assert.deepEqual(first.toSorted(), [...new Set(first)].sort());
    assert.equal(isComplete, true);
    const known = [...site.found.values()].map(({ url }) => new URL(url).pathname);
    assert.deepEqual(known.sort(), ['/', '/blog', '/blog/a', '/shop', '/shop/a', '/shop/b']);
    await sweeps.look(at('/'));
    await sweeps.look(at('/blog'));
    await sweeps.glance(at('/shop'), 1000);
    await sweeps.read([`https://site.test/shop/a`], at('/'));
    assert.deepEqual(read, []);
    await sweeps.look(at('/'), true);
    assert.equal(read.splice(0).length, first.length);
    parts.clock.now += 11 * 60_000;
    await sweeps.look(at('/'));
    assert.equal(read.length, first.length);
  });

  it('goes on from another start, and reads further pages, with what is known', async () => {
    await sweeps.look(at('/'));
    read.splice(0);
    const { site } = await sweeps.look(at('/hidden'));
    assert.deepEqual(read.splice(0), ['/hidden', '/hidden/a']);
    assert.equal(site.found.size, 8);
    const again = await sweeps.look(at('/'));
    assert.equal(again.site, site);
    assert.deepEqual(read, []);
  });

  it('goes on for others when the one who asked first is gone', async () => {
    const gone = new AbortController();
    const first = sweeps.look({ ...at('/'), signal: gone.signal });
    const second = sweeps.look(at('/'));
    gone.abort(new Error('gone'));
    await assert.rejects(first, /gone/);
    assert.equal((await second).site.found.size, 6);
    assert.equal(new Set(read).size, read.length);
  });

  it('is kept apart for each team and host, for the twenty sites that were used last', async () => {
    await sweeps.look(at('/'));
    const first = read.splice(0).length;
    await sweeps.look({ ...at('/'), team: 'b' });
    assert.equal(read.splice(0).length, first);
    for (let host = 0; host < 20; host++) {
      await sweeps.look({ ...at('/'), url: new URL(`https://host${host}.test/`) });
      if (host < 10) await sweeps.look(at('/'));
    }
    read.splice(0);
    await sweeps.look(at('/'));
    assert.deepEqual(read, []);
    await sweeps.look({ ...at('/'), team: 'b' });
    assert.equal(read.length, first);
  });

  it('tells what a crawl would get by what pages link to, and what sitemaps list', async () => {
    const fetcher = {
      async fetch(url: string) {
        const body =
          '<urlset><url><loc>https://site.test/listed</loc></url><url><loc>https://site.test/shop/a</loc></url></urlset>';
        const headers = { 'content-type': 'application/xml' };
        const found = { status: url.endsWith('/sitemap.xml') ? 200 : 404, body: new TextEncoder().encode(body) };
        return { url, headers, truncated: false, hops: [url], ...found };
      },
    };
    sweeps = createSweeps({ ...parts, fetcher: fetcher as never });
    const matcher = createPathMatcher();
    const estimate = createEstimates({ ...parts, matcher, sweeps });
    const matchesOf = async (options: object) => (await estimate({ ...at('/'), options: { ...options } })).matches;
    try {
      assert.equal(await matchesOf({}), 7);
      const asked = read.length;
      assert.equal(await matchesOf({ sitemap: 'skip' }), 6);
      assert.equal(await matchesOf({ sitemap: 'only' }), 2);
      assert.equal(await matchesOf({ includePaths: ['^/shop/'] }), 2);
      assert.equal(read.length, asked);
    } finally {
      await matcher.close();
    }
  });

  it('tells where the start URL redirects to, and counts what is below that as a crawl does', async () => {
    const moved: TestPages = {
      '/docs/old': { links: [], length: 0, redirectsTo: '/v2/' },
      '/v2/': page('/v2/a', '/v2/b', '/blog'),
    };
    sweeps = createSweeps(sweepPartsOf({ ...pages, ...moved }));
    const matcher = createPathMatcher();
    const estimate = createEstimates({ ...parts, matcher, sweeps });
    try {
      const { matches, examples, redirectedTo } = await estimate({ ...at('/docs/old'), options: {} });
      assert.deepEqual([redirectedTo, matches, examples[0]], ['https://site.test/v2/', 3, 'https://site.test/v2/']);
      assert.equal((await estimate({ ...at('/shop'), options: {} })).redirectedTo, undefined);
    } finally {
      await matcher.close();
    }
  });
});
