import assert from 'node:assert/strict';
import { mapBody } from '../../../src/contract/crawl/crawl-jobs.ts';
import { type MapParts, mapSite } from '../../../src/service/web/crawl/map.ts';

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
});
