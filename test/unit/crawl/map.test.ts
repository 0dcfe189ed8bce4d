import assert from 'node:assert/strict';
import { mapBody } from '../../../src/contract/crawl/crawl-jobs.ts';
import { type KnownSite, unknownSite } from '../../../src/service/web/crawl/map/known-site.ts';
import { createLargeMaps } from '../../../src/service/web/crawl/map/large-maps.ts';
import { listedBy } from '../../../src/service/web/crawl/map/lists.ts';
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
  /** What is known of the site, and gets more. */
  into?: KnownSite;
  /** Called with each site whose robots.txt is read. */
  onAsked?(origin: string): void;
  largeMaps?: MapParts['largeMaps'];
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
    const parts = {
      scraper: { scrape },
      robots: { of: async () => ({ allows: () => true }) },
      largeMaps: createLargeMaps(),
    };
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
      into,
      onAsked,
      largeMaps = createLargeMaps(),
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
    const request = { ...mapBody.parse({ url: start, ...body }), url: new URL(start), team: 'a', signal };
    return await mapSite({ ...request, ...(into && { known: into }) }, {
      scraper: { scrape },
      fetcher: { fetch },
      robots,
      largeMaps,
    } as unknown as MapParts);
  }

  it('has 30 million characters of URLs at most, and says so (CRW-09)', async () => {
    const folder = `/${'x'.repeat(3900)}`;
    const pages = { '/': Array.from({ length: 8000 }, (_, index) => `${folder}/${index}`) };
    const { links, stopped, warning } = await mapOf(`${site}/`, pages, { body: { limit: 100_000 } });
    assert.ok(links.length > 7000 && links.length < 7900, `${links.length}`);
    assert.equal(stopped, 'limit');
    assert.match(warning ?? '', /very long: a map has 30 million characters of them at most/);
  });

  it('waits for others before it keeps much, and leaves its place when it ends (CRW-09)', async () => {
    const asked: string[] = [];
    let left = 0;
    let mayGoOn = Promise.withResolvers<void>();
    const acquire = async (team: string) => {
      asked.push(team);
      await mayGoOn.promise;
      return () => void left++;
    };
    const largeMaps = createLargeMaps({ acquire });
    const urls = (count: number) =>
      Array.from({ length: count }, (_, index) => `<url><loc>${index}</loc></url>`).join('');
    const files = (count: number, base = '') => ({
      [`${site}/sitemap.xml`]: `<urlset xml:base="${site}/${base}/">${urls(count)}</urlset>`,
    });
    const how = { body: { limit: 100_000, sitemap: 'only' }, largeMaps };

    const small = await mapOf(`${site}/`, {}, { ...how, files: files(5000, 'x'.repeat(100)) });
    assert.deepEqual([small.links.length, asked], [5000, []]);

    for (const [count, base] of [
      [2000, 'x'.repeat(3900)],
      [50_000, 'x'],
    ] as const) {
      const into = unknownSite();
      const large = mapOf(`${site}/`, {}, { ...how, files: files(count, base), into });
      while (asked.length === 0) await new Promise(setImmediate);
      for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate);
      const kept = [...into.found.values()].reduce((length, { url }) => length + url.length, 0);
      assert.ok(kept <= 1_000_000, `${kept} characters are kept`);
      mayGoOn.resolve();
      assert.equal((await large).links.length, count);
      assert.deepEqual([asked.splice(0), left], [['a'], 1]);
      left = 0;
      mayGoOn = Promise.withResolvers();
    }
  });

  it('keeps 30 million characters of parts of lists at most (CRW-09)', async () => {
    const folder = `/list/${'x'.repeat(3900)}`;
    const pages = { '/': Array.from({ length: 9000 }, (_, index) => `${folder}?page=${index}`) };
    const { warning } = await mapOf(`${site}/`, pages, { body: { limit: 100_000, readPages: 0 } });
    assert.match(warning ?? '', /a map has 30 million characters of them at most/);
  });

  it('knows its lists also where each link has a session ID in its path', async () => {
    const at = (path: string) => `${path};jsessionid=ABCDEF0123456789`;
    const lists = ['a', 'b', 'c'].map((name) => `/shop/list/${name}`);
    const itemsOf = (list: string) =>
      Array.from({ length: 6 }, (_, item) => at(`${list.replace('list', 'item')}${item}`));
    const pages = Object.fromEntries(lists.map((list) => [at(list), itemsOf(list)]));
    const into = unknownSite();
    const { links } = await mapOf(`${site}/shop`, { '/shop': lists.map(at), ...pages }, { into });
    assert.deepEqual(
      links.map(({ url }) => url).filter((url) => url.includes('jsessionid')),
      [],
    );
    assert.equal(listedBy(into).size, lists.length);
  });

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
      `Only the start page was found: 3 other pages that were found are outside its path. To get those beside it, start at ${site}/wiki/.`,
    );
    const pages = 'Only the start page was found: 3 other pages that were found are outside its path.';
    for (const [missing, advised] of [
      [['/wiki/'], `${site}/`],
      [['/wiki/', '/'], undefined],
    ] as const) {
      const other = await mapOf(`${site}/wiki/Main_Page`, links, { disallowed: /^\/w\//, missing });
      const advice = advised === undefined ? '' : ` To get those beside it, start at ${advised}.`;
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

  it('follows archives by month beyond months that are empty and say the same', async () => {
    const months = Array.from({ length: 24 }, (_, at) => at + 1);
    const links: Record<string, string[]> = { '/': ['/events?month=1'] };
    for (const month of months) {
      const events = month > 3 && month < 10 ? [] : [`/events/${month}`];
      links[`/events?month=${month}`] = [...events, '/', ...(month < 24 ? [`/events?month=${month + 1}`] : [])];
    }
    const says = () => 'Events of our club';
    const { links: mapped } = await mapOf(`${site}/`, links, { says, body: { sitemap: 'skip' } });
    assert.equal(mapped.filter(({ url }) => url.startsWith(`${site}/events/`)).length, 18);
  });

  it('lists a page that was read without a route that shows nothing else, but all routes of an app', async () => {
    const routes = ['/#/help', '/app#/teas/1', '/app#/teas/2'];
    const folder = Array.from({ length: 4 }, (_, at) => `/mugs/${at}.html#/size-${at}`);
    const links = { '/': [...routes, ...folder, '/mugs/viewer#/first', '/mugs/viewer#/second'] };
    const isApp = (path: string) => !path.endsWith('.html');
    const { links: mapped } = await mapOf(`${site}/`, links, { isApp, body: { sitemap: 'skip', readPages: 7 } });
    const urls = new Set(mapped.map(({ url }) => url.slice(site.length)));
    for (const url of [...routes, '/mugs/viewer#/first', '/mugs/viewer#/second']) assert.ok(urls.has(url), url);
    assert.ok(urls.has('/mugs/0.html') && !urls.has('/mugs/0.html#/size-0'));
  });

  it('reads no robots.txt only to count pages outside of its path', async () => {
    const links = { '/wiki/Main_Page': ['/', 'https://one.shop.test/w/1', 'https://two.shop.test/w/2'] };
    const asked: string[] = [];
    const { warning } = await mapOf(`${site}/wiki/Main_Page`, links, {
      disallowed: /^\/w\//,
      body: { includeSubdomains: true },
      onAsked: (origin) => asked.push(origin),
    });
    assert.match(warning ?? '', /^Only the start page was found: 3 other pages /);
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
      { scraper: { scrape }, robots, largeMaps: createLargeMaps() } as unknown as MapParts,
    );
    assert.ok(mapped.some(({ url }) => url === `${site}/behind`));
    const times = (path: string) => read.filter((each) => each === path).length;
    assert.deepEqual(['/503', '/429', '/down', '/404', '/other', '/behind'].map(times), [2, 2, 2, 1, 1, 1]);
    assert.ok(read.indexOf('/other') < read.lastIndexOf('/503'));
    assert.equal(warning, `${site}/down: The page could not be read for its links: The connection was closed.`);
  });
});
