import assert from 'node:assert/strict';
import { mapBody } from '../../../src/contract/crawl/crawl-jobs.ts';
import { type MapParts, mapSite } from '../../../src/service/web/crawl/map/map.ts';
import { wordingOf } from '../../../src/service/web/scrape/convert/wording.ts';
import { ScrapeError } from '../../../src/service/web/scrape/scrape-errors.ts';

const site = 'https://shop.test';
const moreOn = (selector: string) =>
  `The page has a button "More of ${selector}", which wasn't clicked. To get it, set actions: [{"selector":"${selector}"}].`;
const login = `The site asked for a login: this is its login page, ${site}/login.`;

interface SiteOptions {
  /** Returns where a URL leads, or throws. */
  redirect?(url: string): Promise<string>;
  files?: Record<string, string>;
  disallowed?: RegExp;
  /** Other parameters of the map. */
  body?: object;
  /** Paths that the site answers with status 404. */
  missing?: readonly string[];
  /** Whether scripts write a page. */
  isApp?(path: string): boolean;
  /** Returns the text of a page. */
  says?(url: string): string;
  /** Called with each site whose robots.txt is read. */
  onAsked?(origin: string): void;
}

interface MapPage {
  warnings?: string[];
  finalUrl?: string;
  statusCode?: number;
  isLogin?: boolean;
}

describe('a map', () => {
  /** Maps a site whose start page links to others, with their warnings. */
  async function warningOf(pages: Record<string, MapPage>, alsoRead: readonly string[] = []) {
    const scrape = async ({ url }: { url: string }) => {
      const { warnings = [], finalUrl = url, statusCode = 200, isLogin } = pages[new URL(url).pathname] ?? {};
      const links = Object.keys(pages).map((path) => site + path);
      return {
        document: { metadata: {}, warning: warnings.join(' ') },
        links,
        finalUrl,
        statusCode,
        warnings,
        isLogin,
      };
    };
    const parts = { scraper: { scrape }, robots: { of: async () => ({ allows: () => true }) } };
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
      '/sign-in': { warnings: ['It is mainly a login.'], isLogin: true },
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

  /** Maps a site by what its pages link to. */
  async function mapOf(
    start: string,
    links: Record<string, string[]>,
    {
      redirect = async (url: string) => url,
      files = {},
      disallowed = /^$/,
      missing = [],
      body,
      isApp = () => true,
      says,
      onAsked,
    }: SiteOptions = {},
  ) {
    const scrape = async ({ url }: { url: string }) => {
      const finalUrl = await redirect(url);
      const { pathname, search } = new URL(finalUrl);
      const found = (links[pathname + search] ?? links[pathname] ?? []).map((path) => new URL(path, finalUrl).href);
      const wording = says && wordingOf(`<p>${says(url)}</p>`, url);
      const isLogin = pathname === '/login';
      const asksToLogIn = finalUrl !== url && (isLogin || pathname === '/store');
      const statusCode = missing.includes(pathname) ? 404 : 200;
      const rendered = isApp(pathname);
      const document = { metadata: { readBecause: rendered ? 'scripts' : 'noScripts' } };
      return { document, links: found, finalUrl, rendered, statusCode, asksToLogIn, isLogin, wording };
    };
    const fetch = async (url: string) => {
      const text = files[url];
      const body = new TextEncoder().encode(text ?? '');
      return { url, status: text === undefined ? 404 : 200, headers: {}, truncated: false, hops: [], body };
    };
    const rules = { allows: (path: string) => !disallowed.test(path), sitemaps: [] };
    const known = new Set<string>();
    const robots = {
      of: async ({ origin }: { origin: string }) => {
        if (!known.has(origin)) onAsked?.(origin);
        known.add(origin);
        return rules;
      },
      known: ({ origin }: { origin: string }) => (known.has(origin) ? rules : undefined),
    };
    const { signal } = new AbortController();
    return await mapSite({ ...mapBody.parse({ url: start, ...body }), url: new URL(start), team: 'a', signal }, {
      scraper: { scrape },
      fetcher: { fetch },
      robots,
    } as unknown as MapParts);
  }

  it('says how many pages that were found are outside of its path if it has no others, and where to start', async () => {
    const links = { '/wiki/Main_Page': ['/', '/wiki/Steel', '/wiki/Anvil', '/w/edit'] };
    const {
      links: mapped,
      warning,
      startInstead,
    } = await mapOf(`${site}/wiki/Main_Page`, links, { disallowed: /^\/w\// });
    assert.deepEqual([mapped.length, startInstead], [1, `${site}/wiki/`]);
    assert.equal(
      warning,
      `Only the start page was found: 3 pages that it links to are outside its path. To get those beside it, start at ${site}/wiki/`,
    );
    const pages = 'Only the start page was found: 3 pages that it links to are outside its path.';
    for (const [missing, advised] of [
      [['/wiki/'], `${site}/`],
      [['/wiki/', '/'], undefined],
    ] as const) {
      const other = await mapOf(`${site}/wiki/Main_Page`, links, { disallowed: /^\/w\//, missing });
      const advice = advised === undefined ? '' : ` To get those beside it, start at ${advised}`;
      assert.deepEqual([other.warning, other.startInstead], [pages + advice, advised]);
    }
    const two = { '/wiki/': ['/wiki/Steel', '/'] };
    for (const limit of [1, 10])
      assert.equal((await mapOf(`${site}/wiki/`, two, { body: { limit } })).warning, undefined);
  });

  it('lists a page once to which other pages redirect, but those that lead to a login by themselves', async () => {
    const links = { '/': ['/old', '/older', '/new', '/mine', '/yours', '/shop'], '/new': ['/old', '/last'] };
    const targets = new Map([
      ...[`${site}/old`, `${site}/older`].map((url): [string, string] => [url, `${site}/new`]),
      ...[`${site}/mine`, `${site}/yours`].map((url): [string, string] => [url, `${site}/login?next=${url.at(-1)}`]),
      // It has a password field in its menu.
      [`${site}/shop`, `${site}/store`],
    ]);
    const redirect = async (url: string) => targets.get(url) ?? url;
    const { links: mapped } = await mapOf(`${site}/`, links, { redirect });
    const paths = mapped.map(({ url }) => new URL(url).pathname).sort();
    assert.deepEqual(paths, ['/', '/last', '/mine', '/new', '/shop', '/store', '/yours']);
  });

  it('follows a list to its end, but not beyond it where each page leads to a next one, and says the same', async () => {
    const pages = Array.from({ length: 60 }, (_, at) => at + 1);
    const links: Record<string, string[]> = { '/': ['/teas?page=1', '/quotes?page=1', '/sale?page=1'] };
    for (const page of pages) {
      const items = page <= 12 ? [`/teas/${page}`] : [];
      links[`/teas?page=${page}`] = [...items, '/', `/teas?page=${page + 1}`];
      // All that these lead to is known.
      if (page <= 12) links[`/sale?page=${page}`] = [...items, `/sale?page=${page + 1}`];
      // The texts of these have no pages of their own.
      if (page <= 12) links[`/quotes?page=${page}`] = [`/quotes?page=${page + 1}`];
    }
    const says = (url: string) =>
      `${new URL(url).pathname} ${url.includes('quotes') ? `number ${'x'.repeat(Number(url.split('=')[1]))}` : 'All teas'}`;
    const { links: mapped } = await mapOf(`${site}/`, links, { says, body: { sitemap: 'skip', readPages: 500 } });
    const count = (path: string) => mapped.filter(({ url }) => url.startsWith(site + path)).length;
    assert.deepEqual([count('/teas/'), count('/sale?'), count('/quotes?')], [12, 13, 13]);
    assert.ok(count('/teas?') >= 13 && count('/teas?') < 30, `${count('/teas?')} parts`);
  });

  it('lists a page without the routes that show nothing else, but all routes of an app', async () => {
    const routes = ['/#/help', '/#/terms', '/#/teas/1'];
    const variants = Array.from({ length: 8 }, (_, at) => `/mugs/${at}.html#/size-${at}`);
    const links = { '/': [...routes, ...variants, `${variants[0]}0`, '/mugs/1.html'] };
    const { links: mapped } = await mapOf(`${site}/`, links, {
      isApp: (path) => path === '/',
      body: { sitemap: 'skip' },
    });
    const pages = Array.from({ length: 8 }, (_, at) => `/mugs/${at}.html`);
    assert.deepEqual(mapped.map(({ url }) => url.slice(site.length)).sort(), ['/', ...routes, ...pages].sort());
  });

  it('reads no robots.txt only to count pages outside of its path', async () => {
    const links = { '/wiki/Main_Page': ['/', 'https://one.shop.test/w/1', 'https://two.shop.test/w/2'] };
    const asked: string[] = [];
    const { warning } = await mapOf(`${site}/wiki/Main_Page`, links, {
      disallowed: /^\/w\//,
      body: { includeSubdomains: true },
      onAsked: (origin) => asked.push(origin),
    });
    assert.match(warning ?? '', /^Only the start page was found: 3 pages /);
    assert.deepEqual(asked, [site]);
  });

  it('says that its pages list others that are outside of its path', async () => {
    const jobs = (from: number) => [1, 2, 3].map((number) => `/job/post-${from}/${from}${number}`);
    const links = {
      '/jobs/york': ['/', '/advice/cv', '/jobs/york/2', '/jobs/york/3', ...jobs(1)],
      '/jobs/york/2': jobs(2),
      '/jobs/york/3': jobs(3),
    };
    const { warning } = await mapOf(`${site}/jobs/york`, links);
    assert.match(
      warning ?? '',
      /^The pages of the map may be lists of others, .*: 9 pages such as \S+\/job\/post-\d\/\d\d\. To get those, start higher up\.$/,
    );
  });

  it('reads the sitemaps of the site to which its start page redirects, also if that was read the second time', async () => {
    const moved = 'https://www.moved.test';
    const files = { [`${moved}/sitemap.xml`]: `<urlset><url><loc>${moved}/listed</loc></url></urlset>` };
    let reads = 0;
    const redirect = async (url: string) => {
      if (url !== `${site}/`) return url;
      if (reads++ === 0) throw new ScrapeError('SCRAPE_SITE_ERROR', 'The connection was closed.');
      return `${moved}/`;
    };
    const { links, warning } = await mapOf(`${site}/`, {}, { redirect, files });
    assert.deepEqual([links.map(({ url }) => url), warning], [[`${moved}/`, `${moved}/listed`], undefined]);
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
      { scraper: { scrape }, robots } as unknown as MapParts,
    );
    assert.ok(mapped.some(({ url }) => url === `${site}/behind`));
    const times = (path: string) => read.filter((each) => each === path).length;
    assert.deepEqual(['/503', '/429', '/down', '/404', '/other', '/behind'].map(times), [2, 2, 2, 1, 1, 1]);
    assert.ok(read.indexOf('/other') < read.lastIndexOf('/503'));
    assert.equal(warning, `${site}/down: The page could not be read for its links: The connection was closed.`);
  });
});
