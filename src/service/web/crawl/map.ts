import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { parentOf } from '../../../contract/addresses.ts';
import type { MapBody, MapEnd } from '../../../contract/crawl/crawl-jobs.ts';
import { decoded } from '../../../contract/lenient-texts.ts';
import { scrapeOptions } from '../../../contract/scrape/scrape.ts';
import { shorten } from '../../../contract/shorten.ts';
import { createTurn, inTurns } from '../../platform/async.ts';
import { messageOf } from '../../platform/errors.ts';
import type { AddressPolicy } from '../../platform/network/address-policy/address-policy.ts';
import type { Fetcher } from '../../platform/network/fetch.ts';
import type { ScrapedPage, Scraper } from '../scrape/scrape.ts';
import { skipsTlsVerification } from '../scrape/scrape-plan.ts';
import { createTemplates } from '../scrape/templates.ts';
import { createChoicePages } from './choice-pages.ts';
import { createLacks, lacksText } from './lacks.ts';
import { onlyStartText, startInstead } from './left-out.ts';
import { createOutsidePages } from './run/outside-pages.ts';
import { mayPass } from './run/second-tries.ts';
import { listsOf } from './run/seeds.ts';
import { scopeOf } from './scope/scope.ts';
import { createShapes, shapeOf } from './scope/shapes.ts';
import { identityOf, parseLink, withoutTrackers } from './scope/urls.ts';
import { linksOfFeeds } from './site/feeds.ts';
import type { RobotsCache, SiteRobots } from './site/robots-cache.ts';
import { walkSitemaps } from './site/sitemaps.ts';

/** A URL of a site, with the page's title and description where known. */
export type MappedLink = {
  url: string;
  title?: string;
  description?: string;
};

/** What maps of a site have found; a map adds to it as it goes on. */
export interface KnownSite {
  /** Its pages, by their identity. */
  found: Map<string, MappedLink>;
  /** Those that a page links to, and those that a sitemap lists. */
  linked: Set<MappedLink>;
  listed: Set<MappedLink>;
  /** The pages that were read, by URL. */
  pages: Map<string, MappedPage>;
}

/** A page that was read. */
export interface MappedPage {
  url: string;
  /** The pages of the site that it links to. */
  links: MappedLink[];
  /** Characters in the words of its content. */
  length: number;
}

export function unknownSite(): KnownSite {
  return { found: new Map(), linked: new Set(), listed: new Set(), pages: new Map() };
}

/** Returns where a URL led if it was read and redirected. */
export function redirectOf({ pages }: KnownSite, { href }: URL): URL | undefined {
  const landed = parseLink(pages.get(href)?.url ?? href);
  return landed && landed.href !== href ? new URL(landed.href) : undefined;
}

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
const pagesAtATime = 5;
/** The wait before pages are read once more, unless their site asks for a longer one, and the longest one. */
const againMs = { usual: 1000, most: 5000 };
/** Pages that are read once more. */
const maxReadAgain = 20;
/** Pages with these have no links. */
const goneStatuses = new Set([404, 410]);
/** Pages of a shape that are read without a new URL before others are passed over. */
const inVain = { below: 3, top: 20 };

/**
 * Lists the URLs of a site, from its sitemaps, the links on the start page and those on further pages: of each kind of
 * pages as long as they lead to new ones, lists before others. Pages are read as a browser shows them, as in a
 * crawl. Aborting `signal` stops early and returns the URLs found until then.
 */
export async function mapSite(request: MapRequest, parts: MapParts): Promise<MappedSite> {
  const scope = scopeOf(request.url, {
    allowSubdomains: request.includeSubdomains,
    ...(request.wholeDomain && { crawlEntireDomain: true }),
  });
  const identity = { ignoreQueryParameters: request.ignoreQueryParameters, deduplicateSimilarURLs: true };
  const site = request.known ?? unknownSite();
  const { found } = site;
  const unseen: { url: string; shape: string }[] = [];
  const waited = new Set<string>();
  const { fastMode, waitFor, headers, location, profile } = request;
  const options = scrapeOptions.parse({
    formats: ['links'],
    storeInCache: false,
    fastMode,
    waitFor,
    headers,
    location,
    // Several pages are read at a time, and only one browser may save to a profile.
    profile: profile && { ...profile, saveChanges: false },
  });
  const job = randomUUID();
  const templates = createTemplates();
  const lacks = createLacks();
  const choices = createChoicePages();
  const how = { skipTlsVerification: skipsTlsVerification(options), policy: request.policy };
  const shapes = createShapes(inVain);
  const outside = createOutsidePages();
  const read = { sitemaps: 0, pages: 0, files: [] as string[] };
  let stopped: MapEnd = 'complete';
  /** The page that a URL redirected to, by that URL: it is listed once. */
  const redirected = new Map<string, string>();
  let failure: unknown;
  /** The origins whose sitemaps were read. */
  const sitemapsOf = new Set<string>();
  /** Pages that failed for a reason that may pass, with that reason. */
  const later = new Map<string, unknown>();

  const inPath = { against: async (urls: readonly URL[]) => urls.map((url) => scope.against(url)) };
  const full = () => found.size >= request.limit || request.signal.aborted;

  function lackLinks(url: string, error: unknown): void {
    lacks.add(url, `The page could not be read for its links: ${messageOf(error)}`);
  }

  function keyOf(url: URL): string {
    const key = identityOf(url, identity);
    return redirected.get(key) ?? key;
  }

  const find = (url: URL) => found.get(keyOf(url));

  function add(link: string, into = site.linked): MappedLink | undefined {
    const url = parseLink(link);
    if (!url || !scope.admits(url)) return undefined;
    // The pages of a list are one, but each leads to others.
    if (request.ignoreQueryParameters && url.search !== '') wait(withoutTrackers(url));
    if (request.ignoreQueryParameters) url.search = '';
    const key = keyOf(url);
    const known = found.get(key);
    if (known) into.add(known);
    if (known || found.size >= request.limit) return known;
    const mapped: MappedLink = { url: withoutTrackers(url) };
    found.set(key, mapped);
    into.add(mapped);
    wait(mapped.url);
    return mapped;
  }

  /** Has a page wait to be read for its links. */
  function wait(url: string): void {
    if (waited.size !== waited.add(url).size) unseen.push({ url, shape: shapeOf(new URL(url)) });
  }

  function noteRedirect(from: string, { finalUrl, statusCode, asksToLogIn }: ScrapedPage): void {
    const isStart = from === request.url.href;
    const target = parseLink(finalUrl);
    if (target && isStart) scope.extend(target);
    const isListed = target && (isStart || scope.admits(target));
    // A page behind a login has its own URL, and a sentence about a crawl may name any.
    // Without the query, the page may be another one.
    const isOther = request.ignoreQueryParameters && new URL(from).search !== '';
    if (!isListed || (!isStart && (isOther || asksToLogIn || statusCode >= 400 || request.known))) return;
    const [key, targetKey] = [new URL(from), target].map((url) => identityOf(url, identity));
    if (key === undefined || targetKey === undefined || (key === targetKey && !isStart)) return;
    const link = found.get(key);
    if (link) site.linked.delete(link);
    found.delete(key);
    redirected.set(key, targetKey);
  }

  const scrape = (url: string) =>
    parts.scraper.scrape({
      url,
      options,
      team: request.team,
      allLinks: true,
      wording: request.known !== undefined,
      listed: request.known === undefined,
      job,
      templates,
      signal: request.signal,
      policy: request.policy,
    });

  async function visit(url: string): Promise<void> {
    const page = await scrape(url);
    if (page.finalUrl !== url) noteRedirect(url, page);
    if (goneStatuses.has(page.statusCode) && url !== request.url.href) return;
    if (page.statusCode >= 400) throw new PageFailure(url, page);
    read.pages++;
    for (const text of new Set([...(page.warnings ?? []), ...(page.hidesLinks ?? [])])) lacks.add(url, text);
    if (page.choices) choices.add({ on: page.finalUrl, form: page.choices, isList: false });
    // The login that a site shows in place of a page has a URL for each.
    const isLogin = page.isLogin && page.asksToLogIn && url !== request.url.href;
    if (!isLogin) describe(add(page.finalUrl), page);
    const before = found.size;
    const links = new Set<MappedLink>();
    const others: { url: string; role: 'section' }[] = [];
    await inTurns(page.links, (link) => {
      const mapped = add(link);
      const other = mapped ? undefined : parseLink(link);
      if (mapped) links.add(mapped);
      else if (other && scope.against(other) === 'section') others.push({ url: other.href, role: 'section' });
    });
    if (url === request.url.href && request.sitemap !== 'skip') {
      const onLacking = (feed: string, why: string) =>
        lacks.add(feed, `This feed could not be read as a whole: ${why}.`);
      for (const link of await linksOfFeeds(parts.fetcher, page, rulesAgainst, request.signal, { ...how, onLacking }))
        add(link);
    }
    await outside.found(others, page.listed, page.document.links ?? undefined);
    site.pages.set(url, { url: page.finalUrl, links: [...links], length: page.wording?.length ?? 0 });
    if (found.size > before) shapes.led(shapeOf(new URL(url)));
  }

  /** Reads a page for its links. If it fails for a reason that may pass, it waits to be read once more, after all others. */
  async function tryToVisit(url: string, isAgain = false): Promise<void> {
    const isStart = url === request.url.href;
    try {
      await visit(url);
      if (isStart) failure = undefined;
    } catch (error) {
      if (request.signal.aborted) return;
      if (isStart) failure = error;
      const { code } = error as { code?: unknown };
      const isSoon = !(error instanceof PageFailure) || (error.retryAfterMs ?? 0) <= againMs.most;
      const isPassing = code === 'HTTP_429' || mayPass(String(code));
      if (!isAgain && isPassing && isSoon && later.size < maxReadAgain) later.set(url, error);
      else lackLinks(url, error);
    }
  }

  /** Returns a folder, or the nearest one above it that is a page: a folder need not be one. */
  async function existing(folder: string | undefined): Promise<string | undefined> {
    const isPage = async (url: string) => !(await rulesAgainst(new URL(url))) && (await scrape(url)).statusCode < 400;
    let url = folder;
    while (url !== undefined && !(await isPage(url).catch(() => false))) url = parentOf(url);
    return url;
  }

  /** Returns the rules of its site that disallow a page, if there are such. */
  async function rulesAgainst({ origin, pathname, search }: URL): Promise<SiteRobots | undefined> {
    const robots = await parts.robots.of({ origin, ...how }, request.signal);
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
    const { sitemaps, forModels, guessed } = await listsOf({ origin, ...how }, parts, request.signal);
    const onLacking = (url: string, why: string) =>
      lacks.add(url, `This sitemap could not be read as a whole: ${why}.`);
    for await (const urls of walkSitemaps(parts.fetcher, sitemaps, request.signal, { ...how, guessed, onLacking })) {
      read.sitemaps++;
      await addAll(urls);
      if (full()) return;
    }
    if (request.sitemap === 'only') return;
    for (const file of forModels) {
      for await (const urls of walkSitemaps(parts.fetcher, [file], request.signal, { ...how, guessed })) {
        read.files.push(file);
        await addAll(urls);
      }
    }
  }

  async function addAll(urls: readonly string[]): Promise<void> {
    const turn = createTurn();
    for (const url of urls) {
      if (turn.isOver) await turn.end();
      if (full()) return;
      add(url, site.listed);
    }
  }

  /** Takes the next page to read: one of a kind that led to others, or else of one that may. */
  function next(): (typeof unseen)[number] | undefined {
    const fruitful = unseen.findIndex(({ shape }) => shapes.isFruitful(shape) && !shapes.isVain(shape));
    const index = fruitful === -1 ? unseen.findIndex(({ shape }) => !shapes.isVain(shape)) : fruitful;
    return index === -1 ? undefined : unseen.splice(index, 1)[0];
  }

  /** Reads pages that may lead to others. Returns how many more may be read. */
  async function explore(most: number): Promise<number> {
    let left = most;
    const seen = new Set([request.url.href, ...site.pages.keys()]);
    const worker = async () => {
      while (!full()) {
        const page = next();
        if (!page) return;
        const { url, shape } = page;
        if (seen.has(url)) continue;
        seen.add(url);
        if (await rulesAgainst(new URL(url))) continue;
        if (left <= 0) {
          stopped = 'readPages';
          return;
        }
        left--;
        shapes.begun(shape);
        await tryToVisit(url);
      }
    };
    await atATime(worker);
    return left;
  }

  /** Reads the pages that failed for a reason that may pass once more. Returns whether there were any. */
  async function readAgain(): Promise<boolean> {
    if (later.size === 0 || full()) return false;
    const asked = [...later.values()].map((error) => (error instanceof PageFailure && error.retryAfterMs) || 0);
    const waitMs = Math.max(againMs.usual, ...asked);
    await pause(waitMs, undefined, { signal: request.signal, ref: false });
    const urls = [...later.keys()];
    await atATime(async () => {
      for (let url = urls.shift(); url !== undefined && !full(); url = urls.shift()) {
        later.delete(url);
        await tryToVisit(url, true);
      }
    });
    return true;
  }

  const atATime = (worker: () => Promise<void>) => Promise.all(Array.from({ length: pagesAtATime }, worker));

  try {
    if (request.sitemap !== 'only') {
      add(request.url.href);
      if (!site.pages.has(request.url.href)) await tryToVisit(request.url.href);
      unseen.unshift(...(request.alsoRead ?? []).map((url) => ({ url, shape: shapeOf(new URL(url)) })));
      const home = new URL('/', request.url);
      // Sections may be linked from there only.
      if (request.wholeDomain) unseen.unshift({ url: home.href, shape: shapeOf(home) });
    }
    await readAllSitemaps();
    const most = request.readPages ?? (found.size < enoughUrls ? fewPages : 0);
    if (request.sitemap !== 'only') {
      const left = await explore(most);
      if (await readAgain()) {
        await readAllSitemaps();
        await explore(left);
      }
    }
  } catch (error) {
    if (!request.signal.aborted) throw error;
  }
  if (request.signal.aborted) stopped = 'timeout';
  else if (found.size >= request.limit) stopped = 'limit';
  if (failure !== undefined && found.size <= 1)
    return { links: [], read, stopped, failure, warning: messageOf(failure) };
  for (const [url, error] of later) lackLinks(url, error);
  const start = redirectOf(site, request.url) ?? request.url;
  const isAlone = found.size === 1 && failure === undefined && stopped === 'complete';
  const allows = knownRules();
  await outside.keep(allows);
  const isUnknown = (url: URL) => scope.admits(url) && allows(url) && !find(url);
  const own = [find(request.url), find(start)];
  const isUnlisted = (link: MappedLink) => !site.listed.has(link) && !own.includes(link);
  const leadsOn = (stopped as MapEnd) === 'readPages' && [...site.linked].some(isUnlisted);
  const folder = isAlone ? startInstead(request.url.href, start.href, outside.count) : undefined;
  const instead = await existing(folder);
  const warning = [
    isAlone ? folder && onlyStartText(instead, 'found', outside.count) : await outside.warning(found.size, inPath),
    request.signal.aborted && 'The timeout was reached before the whole site was mapped.',
    lacksText(lacks.all()),
    await choices.text(async (all) => all.map(({ url }) => isUnknown(url))),
  ]
    .filter(Boolean)
    .join('\n');
  return {
    links: [...found.values()],
    read,
    stopped,
    leadsOn,
    startInstead: instead,
    ...(warning !== '' && { warning }),
  };
}

/** A page that its site answered with an error. */
class PageFailure extends Error {
  readonly code: string;
  readonly retryAfterMs: number | undefined;

  constructor(url: string, { statusCode, retryAfterMs }: ScrapedPage) {
    super(`${shorten(url)} returned status ${statusCode}.`);
    this.code = `HTTP_${statusCode}`;
    this.retryAfterMs = retryAfterMs;
  }
}

function describe(link: MappedLink | undefined, { document: { metadata } }: ScrapedPage): void {
  if (!link) return;
  if (metadata.title) link.title ??= metadata.title;
  if (metadata.description) link.description ??= metadata.description;
}

/** Returns the links that match a search, best match first, and how many don't; all links if none match. */
export async function rankLinks(
  links: readonly MappedLink[],
  search: string,
): Promise<{ links: MappedLink[]; note: string | undefined }> {
  const words = (search.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, 50);
  const scored: { link: MappedLink; score: number }[] = [];
  await inTurns(links, (link) => {
    const text = decoded(`${link.url} ${link.title ?? ''} ${link.description ?? ''}`).toLowerCase();
    scored.push({ link, score: words.filter((word) => text.includes(word)).length });
  });
  const matching = scored.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score);
  const shown = matching.length > 0 ? matching : scored;
  const left = links.length - shown.length;
  const note =
    matching.length === 0
      ? 'No URL, title or description contains a word of `search`, so all URLs are listed.'
      : `${left} of ${links.length} URLs contain no word of \`search\` and aren't listed.`;
  return { links: shown.map(({ link }) => link), note: left > 0 || matching.length === 0 ? note : undefined };
}
