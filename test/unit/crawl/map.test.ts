import assert from 'node:assert/strict';
import { mapBody } from '../../../src/contract/crawl/crawl-jobs.ts';
import { type MapParts, mapSite } from '../../../src/service/web/crawl/map.ts';
import { ScrapeError } from '../../../src/service/web/scrape/scrape-errors.ts';

const site = 'https://shop.test';
const moreOn = (selector: string) =>
  `The page has a button "More of ${selector}", which wasn't clicked. To get it, set actions: [{"selector":"${selector}"}].`;
const login = `The site asked for a login: this is its login page, ${site}/login.`;

interface MapPage {
  warnings?: string[];
  finalUrl?: string;
  statusCode?: number;
}

describe('a map', () => {
  /** Maps a site whose start page links to others, with their warnings. */
  async function warningOf(pages: Record<string, MapPage>, alsoRead: readonly string[] = []) {
    const scrape = async ({ url }: { url: string }) => {
      const { warnings = [], finalUrl = url, statusCode = 200 } = pages[new URL(url).pathname] ?? {};
      const links = Object.keys(pages).map((path) => site + path);
      return { document: { metadata: {}, warning: warnings.join(' ') }, links, finalUrl, statusCode, warnings };
    };
    const parts = { scraper: { scrape }, robots: { of: async () => ({ allows: () => true }) }, userAgent: 'WebData' };
    const request = mapBody.parse({ url: site, sitemap: 'skip' });
    const { signal } = new AbortController();
    const { warning } = await mapSite(
      { ...request, url: new URL(site), team: 'a', signal, alsoRead },
      parts as unknown as MapParts,
    );
    return warning?.split('\n');
  }

  it('says once what pages lack, for each kind', async () => {
    const warned = await warningOf({
      '/a': { warnings: [moreOn('#a')] },
      '/account': { warnings: [login], finalUrl: `${site}/login` },
      '/orders': { warnings: [login], finalUrl: `${site}/login` },
      '/b': { warnings: ['It took 31 s.', moreOn('#b')] },
      '/c': { warnings: ['It took 7 s.'] },
      '/d': { warnings: [] },
    });
    assert.deepEqual(warned, [
      `${site}/a: ${moreOn('#a')} The same is true of 1 more of the pages read.`,
      `${site}/account: ${login} The same is true of 1 more of the pages read.`,
      `${site}/b: It took 31 s. The same is true of 1 more of the pages read.`,
    ]);
    assert.equal(await warningOf({ '/d': { warnings: [] } }), undefined);
  });

  it('says that the start page could not be read, also if it found others', async () => {
    const warned = await warningOf({ '/': { statusCode: 503 }, '/a': {}, '/b': {} }, [`${site}/a`]);
    const why = `The page could not be read for its links: ${site}/ returned status 503.`;
    assert.deepEqual(warned, [`${site}/: ${why}`]);
  });

  it('reads pages that failed for a reason that may pass once more, after the others', async () => {
    const read: string[] = [];
    const links: Record<string, string[]> = { '/': ['/503', '/429', '/down', '/404', '/other'], '/503': ['/behind'] };
    const scrape = async ({ url }: { url: string }) => {
      const { pathname } = new URL(url);
      read.push(pathname);
      const isFirst = read.filter((each) => each === pathname).length === 1;
      const statusCode = isFirst || pathname === '/404' ? Number(pathname.slice(1)) || 200 : 200;
      if (pathname === '/down') throw new ScrapeError('SCRAPE_SITE_ERROR', 'The connection was closed.');
      const found = (links[pathname] ?? []).map((path) => site + path);
      return { document: { metadata: {} }, links: statusCode === 200 ? found : [], finalUrl: url, statusCode };
    };
    const robots = { of: async () => ({ allows: () => true }) };
    const { signal } = new AbortController();
    const { links: mapped, warning } = await mapSite(
      { ...mapBody.parse({ url: site, sitemap: 'skip' }), url: new URL(site), team: 'a', signal },
      { scraper: { scrape }, robots, userAgent: 'WebData' } as unknown as MapParts,
    );
    assert.ok(mapped.some(({ url }) => url === `${site}/behind`));
    const times = (path: string) => read.filter((each) => each === path).length;
    assert.deepEqual(['/503', '/429', '/down', '/404', '/other', '/behind'].map(times), [2, 2, 2, 1, 1, 1]);
    assert.ok(read.indexOf('/other') < read.lastIndexOf('/503'));
    assert.equal(warning, `${site}/down: The page could not be read for its links: The connection was closed.`);
  });
});
