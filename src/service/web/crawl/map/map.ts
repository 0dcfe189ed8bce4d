import type { MapBody, MapEnd } from '../../../../contract/crawl/crawl-jobs.ts';
import { createTurn, inTurns } from '../../../platform/async.ts';
import { messageOf } from '../../../platform/errors.ts';
import type { AddressPolicy } from '../../../platform/network/address-policy/address-policy.ts';
import type { Fetcher } from '../../../platform/network/fetch.ts';
import type { ScrapedPage, Scraper } from '../../scrape/scrape.ts';
import { skipsTlsVerification } from '../../scrape/scrape-plan.ts';
import { createChoicePages } from '../choice-pages.ts';
import { createLacks, lackedBy, lacksText } from '../lacks.ts';
import { onlyStartText, parentOf, startInstead } from '../left-out.ts';
import { listsOf } from '../run/seeds.ts';
import { createOutsidePages } from '../scope/outside-pages.ts';
import { scopeOf } from '../scope/scope.ts';
import { createShapes, shapeOf } from '../scope/shapes.ts';
import { parseLink, withoutVisit } from '../scope/urls.ts';
import { linksOfFeeds } from '../site/feeds.ts';
import type { RobotsCache, SiteRobots } from '../site/robots-cache.ts';
import { walkSitemaps } from '../site/sitemaps.ts';
import { createFoundUrls } from './found-urls.ts';
import { type KnownSite, type MappedLink, redirectOf, unknownSite } from './known-site.ts';
import type { LargeMaps } from './large-maps.ts';
import { atATime, createPageReading } from './page-reading.ts';

export interface MappedSite {
  links: MappedLink[];
  /** What the links were found in. */
  read: { sitemaps: number; pages: number; files: string[] };
  stopped: MapEnd;
  /** Whether pages that weren't read may lead to others: the sitemaps don't list all that the others led to. */
  leadsOn?: boolean;
  warning?: string;
  /** The folder to map instead, to get the pages that are beside the start page. */
  startInstead?: string | undefined;
  /** Why the start page failed, if it did. */
  failure?: unknown;
}

export interface MapParts {
  scraper: Pick<Scraper, 'scrape'>;
  fetcher: Pick<Fetcher, 'fetch'>;
  robots: RobotsCache;
  largeMaps: LargeMaps;
}

export type MapRequest = Pick<
  MapBody,
  'sitemap' | 'includeSubdomains' | 'ignoreQueryParameters' | 'limit' | 'location'
> &
  Partial<Pick<MapBody, 'headers' | 'waitFor' | 'profile' | 'fastMode'>> & {
    url: URL;
    team: string;
    signal: AbortSignal;
    /** Pages to read for their links. By default, a few are read if the sitemaps and the start page list few URLs. */
    readPages?: number;
    /** Whether URLs outside the path of `url` are listed too, and the home page is read. */
    wholeDomain?: boolean;
    /** What is known of the site: what is found is added, and its pages aren't read again. */
    known?: KnownSite;
    /** Pages to read before others. */
    alsoRead?: readonly string[];
    /** Checks all requests, in addition to the service's own policy. */
    policy?: AddressPolicy | undefined;
  };

/** By default, sites whose sitemaps and start page list fewer URLs than this are explored further. */
const enoughUrls = 50;
const fewPages = 30;
/** Pages of a shape that are read without a new URL before others are passed over. */
const inVain = { below: 3, top: 20 };

/**
 * Lists the URLs of a site, from its sitemaps, the links on the start page and those on further pages: of each kind of
 * pages as long as they lead to new ones, lists before others. Pages are read as a browser shows them, as in a
 * crawl. Aborting `signal` stops early and returns the URLs found until then.
 */
export async function mapSite(request: MapRequest, parts: MapParts): Promise<MappedSite> {
  const place = parts.largeMaps.open(request.team, request.signal);
  try {
    return await mapIn(place, request, parts);
  } finally {
    await place.release();
  }
}

async function mapIn(place: ReturnType<LargeMaps['open']>, request: MapRequest, parts: MapParts): Promise<MappedSite> {
  const { signal, limit } = request;
  const scope = scopeOf(request.url, {
    allowSubdomains: request.includeSubdomains,
    ...(request.wholeDomain && { crawlEntireDomain: true }),
  });
  const site = request.known ?? unknownSite();
  const unseen: { url: string; shape: string }[] = [];
  /** Parts of lists whose queries are ignored: they aren't listed, but read after all others for what only they link to. */
  const unseenParts: typeof unseen = [];
  const listParts = new Set<string>();
  const urls = createFoundUrls({
    start: request.url,
    scope,
    limit,
    ignoreQueryParameters: request.ignoreQueryParameters,
    site,
    keepsRedirects: request.known !== undefined,
    onNew: (url) => void unseen.push({ url, shape: shapeOf(new URL(url)) }),
    onPart(url) {
      if (listParts.size >= limit || listParts.size === listParts.add(url).size) return false;
      unseenParts.push({ url, shape: shapeOf(new URL(url)) });
      return true;
    },
  });
  const reading = createPageReading(request, {
    scraper: parts.scraper,
    onAnswer: (url, page) => {
      if (page.finalUrl !== url) urls.redirect(url, page);
      if (page.statusCode >= 400 && page.statusCode < 500 && page.statusCode !== 429) site.pageless.add(url);
    },
    onPage,
    onFailed: (url, error) => lacks.add(url, `The page could not be read for its links: ${messageOf(error)}`),
  });
  const how = { skipTlsVerification: skipsTlsVerification(reading.options), policy: request.policy };
  const walk = { ...how, beforeLarge: place.take };
  const lacks = createLacks();
  const choices = createChoicePages();
  const shapes = createShapes(inVain);
  const outside = createOutsidePages();
  const read = { sitemaps: 0, pages: 0, files: [] as string[] };
  let stopped: MapEnd = 'complete';
  /** The origins whose sitemaps were read. */
  const sitemapsOf = new Set<string>();

  const full = () => urls.areFull || signal.aborted;

  /** Adds the links in a list one by one, once there is room for them. */
  async function addEach(links: readonly string[], add: (link: string) => void): Promise<void> {
    let length = 0;
    for (const link of links) length += link.length;
    await place.takeFor(urls.characters + length);
    await inTurns(links, add);
  }

  async function onPage(url: string, page: ScrapedPage): Promise<void> {
    read.pages++;
    for (const text of lackedBy(page, url, url === request.url.href)) lacks.add(url, text);
    if (page.choices) choices.add({ on: page.finalUrl, form: page.choices, isList: false });
    // The login that a site shows in place of a page has a URL for each.
    const isLogin = page.isLogin && page.asksToLogIn && url !== request.url.href;
    if (!isLogin && !listParts.has(url)) describe(urls.add(page.finalUrl), page);
    for (const feed of page.feeds ?? []) site.feeds.add(feed);
    const before = site.found.size;
    const links = new Set<MappedLink>();
    const others: { url: string; role: 'section' }[] = [];
    await addEach(page.links, (link) => {
      const mapped = urls.add(link);
      const other = mapped ? undefined : parseLink(link);
      if (mapped) links.add(mapped);
      else if (other && scope.against(other) === 'section') others.push({ url: other.href, role: 'section' });
    });
    if (url === request.url.href && request.sitemap !== 'skip') {
      const onLacking = (feed: string, why: string) =>
        lacks.add(feed, `This feed could not be read as a whole: ${why}.`);
      const inFeeds = await linksOfFeeds(parts.fetcher, page, rulesAgainst, signal, { ...walk, onLacking });
      await addEach(inFeeds, (link) => urls.add(link));
    }
    await outside.found(others, page.listed, page.document.links ?? undefined);
    site.pages.set(url, {
      url: withoutVisit(new URL(page.finalUrl)),
      links: [...links],
      length: page.wording?.length ?? 0,
      subjects: page.subjects ?? [],
    });
    if (page.isLogin || page.asksToLogIn) site.pageless.add(url);
    if (site.found.size > before) shapes.led(shapeOf(new URL(url)));
  }

  /** Returns a folder, or the nearest one above it that is a page: a folder need not be one. */
  async function existing(folder: string | undefined): Promise<string | undefined> {
    let url = folder;
    while (url !== undefined && ((await rulesAgainst(new URL(url))) || !(await reading.isPage(url))))
      url = parentOf(url);
    return url;
  }

  /** Returns the rules of its site that disallow a page, if there are such. */
  async function rulesAgainst({ origin, pathname, search }: URL): Promise<SiteRobots | undefined> {
    const robots = await parts.robots.of({ origin, ...how }, signal);
    return robots.allows(pathname + search) ? undefined : robots;
  }

  /** Returns whether a site allows a page, as far as that is known: no robots.txt is read for it. */
  function knownRules(): (url: URL) => boolean {
    const rules = new Map<string, SiteRobots | undefined>();
    return ({ origin, pathname, search }) => {
      if (!rules.has(origin)) rules.set(origin, parts.robots.known({ origin, ...how }));
      return rules.get(origin)?.allows(pathname + search) ?? true;
    };
  }

  /** Reads the sitemaps of the site, and of the one that the start page led to, once each. */
  async function readAllSitemaps(): Promise<void> {
    if (request.sitemap === 'skip') return;
    const landed = redirectOf(site, request.url)?.origin ?? request.url.origin;
    for (const origin of [request.url.origin, landed]) {
      if (full() || sitemapsOf.has(origin)) continue;
      sitemapsOf.add(origin);
      await readSitemaps(origin);
    }
  }

  async function readSitemaps(origin: string): Promise<void> {
    const { sitemaps, forModels, guessed } = await listsOf({ origin, ...how }, parts, signal);
    const onLacking = (url: string, why: string) =>
      lacks.add(url, `This sitemap could not be read as a whole: ${why}.`);
    const onUrls = () => void read.sitemaps++;
    const ofSite = walkSitemaps(parts.fetcher, sitemaps, signal, { ...walk, guessed, onUrls, onLacking });
    for await (const listed of ofSite) {
      await addAll(listed);
      if (full()) return;
    }
    if (request.sitemap === 'only') return;
    for (const file of forModels) {
      const onUrls = () => void read.files.push(file);
      for await (const listed of walkSitemaps(parts.fetcher, [file], signal, { ...walk, guessed, onUrls }))
        await addAll(listed);
    }
  }

  async function addAll(listed: readonly string[]): Promise<void> {
    await addEach(listed, (url) => {
      if (!full()) urls.add(url, site.listed);
    });
  }

  /** Takes the next page to read: one of a kind that led to others, or else of one that may. */
  function next(): (typeof unseen)[number] | undefined {
    for (const queue of [unseen, unseenParts]) {
      const fruitful = queue.findIndex(({ shape }) => shapes.isFruitful(shape) && !shapes.isVain(shape));
      const index = fruitful === -1 ? queue.findIndex(({ shape }) => !shapes.isVain(shape)) : fruitful;
      if (index !== -1) return queue.splice(index, 1)[0];
    }
    return undefined;
  }

  /** Reads pages that may lead to others. Returns how many more may be read. */
  async function explore(most: number): Promise<number> {
    let left = most;
    const seen = new Set([request.url.href, ...site.pages.keys()]);
    const turn = createTurn();
    const worker = async () => {
      while (!full()) {
        if (turn.isOver) await turn.end();
        const page = next();
        if (!page) return;
        const { url, shape } = page;
        if (seen.has(url)) continue;
        seen.add(url);
        if (await rulesAgainst(new URL(url))) {
          site.pageless.add(url);
          continue;
        }
        if (left <= 0) {
          stopped = 'readPages';
          return;
        }
        left--;
        shapes.begun(shape);
        await reading.read(url);
      }
    };
    await atATime(worker);
    return left;
  }

  try {
    if (request.sitemap !== 'only') {
      urls.add(request.url.href);
      if (!site.pages.has(request.url.href)) await reading.read(request.url.href);
      unseen.unshift(...(request.alsoRead ?? []).map((url) => ({ url, shape: shapeOf(new URL(url)) })));
      const home = new URL('/', request.url);
      // Sections may be linked from there only.
      if (request.wholeDomain) unseen.unshift({ url: home.href, shape: shapeOf(home) });
    }
    await readAllSitemaps();
    const most = request.readPages ?? (site.found.size < enoughUrls ? fewPages : 0);
    if (request.sitemap !== 'only') {
      const left = await explore(most);
      if (await reading.readAgain(full)) {
        await readAllSitemaps();
        await explore(left);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  if (signal.aborted) stopped = 'timeout';
  else if (urls.areFull) stopped = 'limit';
  const { failure } = reading;
  if (failure !== undefined && site.found.size <= 1)
    return { links: [], read, stopped, failure, warning: messageOf(failure) };
  reading.end();
  const start = redirectOf(site, request.url) ?? request.url;
  const isAlone = site.found.size === 1 && failure === undefined && stopped === 'complete';
  const allows = knownRules();
  await outside.keep(allows);
  const isUnknown = (url: URL) => scope.admits(url) && allows(url) && !urls.find(url);
  const own = [urls.find(request.url), urls.find(start)];
  const isUnlisted = (link: MappedLink) => !site.listed.has(link) && !own.includes(link);
  const leadsOn = (stopped as MapEnd) === 'readPages' && [...site.linked].some(isUnlisted);
  const folder = isAlone ? startInstead(request.url.href, start.href, outside.count) : undefined;
  // What it takes to look for that is no reason to call the map incomplete.
  const isAborted = signal.aborted;
  const instead = await existing(folder).catch(() => undefined);
  const warning = [
    isAlone
      ? folder && onlyStartText(instead, 'found', outside.count)
      : await outside.warning(site.found.size, {
          against: async (all) => all.map((url) => scope.against(url)),
        }),
    isAborted && 'The timeout was reached before the whole site was mapped.',
    urls.tooLongText(),
    urls.variantsText(),
    lacksText(lacks.all()),
    await choices.text(async (all) => all.map(({ url }) => isUnknown(url))),
  ]
    .filter(Boolean)
    .join('\n');
  return {
    links: [...site.found.values()],
    read,
    stopped,
    leadsOn,
    startInstead: instead,
    ...(warning !== '' && { warning }),
  };
}

function describe(link: MappedLink | undefined, { document: { metadata } }: ScrapedPage): void {
  if (!link) return;
  if (metadata.title) link.title = metadata.title;
  if (metadata.description) link.description = metadata.description;
}
