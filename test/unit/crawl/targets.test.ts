import assert from 'node:assert/strict';
import { mapSite } from '../../../src/service/crawl/map.ts';
import { createRobotsCache } from '../../../src/service/crawl/site/robots-cache.ts';
import { walkSitemaps } from '../../../src/service/crawl/site/sitemaps.ts';
import { createAddressPolicy } from '../../../src/service/fetch/address-policy/address-policy.ts';
import type { Fetcher } from '../../../src/service/fetch/fetch.ts';
import { createHttpFetcher } from '../../../src/service/fetch/http-fetcher.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { type FaultySite, page, redirect, startFaultySite } from '../../harness/faulty-site.ts';

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
        'x',
        signal,
      );
      assert.ok(!robots.allows('/'));
      assert.match(robots.unreachable ?? '', /is blocked/);
    }
    assert.deepEqual(forbidden.requests, []);
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
        userAgent: 'test',
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
});
