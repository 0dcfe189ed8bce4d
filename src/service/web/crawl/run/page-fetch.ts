import { STATUS_CODES } from 'node:http';
import { listed, shorten } from '../../../../contract/shorten.ts';
import { storageProblem } from '../../../../storage/storage.ts';
import { pause } from '../../../platform/clock.ts';
import { messageOf, ServiceError } from '../../../platform/errors.ts';
import type { KnownPage } from '../../scrape/changes/known-page.ts';
import type { PageReading, ScrapedPage } from '../../scrape/scrape.ts';
import { skipsTlsVerification } from '../../scrape/scrape-plan.ts';
import type { FoundForm } from '../choice-pages.ts';
import { createLacks, lackedBy } from '../lacks.ts';
import { type LinkFilter, maxFollowed } from '../scope/link-filter.ts';
import { shapeOf } from '../scope/shapes.ts';
import { parseLink, withoutQuery, withoutVisit } from '../scope/urls.ts';
import { linksOfFeeds } from '../site/feeds.ts';
import type { SiteRobots } from '../site/robots-cache.ts';
import { type NewPage, placeIds, type WaitingPage } from '../store/frontier.ts';
import { type Job, limitOf, type Say } from '../store/job-table.ts';
import type { TextPage } from './changing-words.ts';
import type { Visit } from './host-gates.ts';
import { createMissingPages } from './missing-pages.ts';
import type { Outcome } from './page-store.ts';
import type { Original } from './page-texts.ts';
import type { Repeat, RepeatedPage } from './repeat.ts';
import { routeOfPage } from './routes.ts';
import type { RunParts } from './run-parts.ts';
import type { SiteKnowledge } from './site-knowledge.ts';

/** The result of a fetch: an outcome, or what to do because the host refused the request. */
export type FetchResult =
  | Fetched
  | 'try again'
  /** Why no more pages of the host are fetched. */
  | { unavailable: string };

interface Fetched {
  outcome: Outcome;
  /** Those of the page that the outcome covers. */
  links?: string[];
  /** The page that it names as the original, if that may be a page of the crawl. */
  original?: NewPage;
  /** The login that it shows, and whether another URL has shown the same: only then it is known that this isn't its own. */
  login?: { key: string; isElsewhere: boolean };
  /** Returns the outcome if the page repeats another one that the crawl has by now. */
  repeated?(): Outcome | undefined;
}

/** Actions are part of what was asked for: a page without them isn't the one that was meant. */
const actionsOfJobs =
  'The actions of a crawl or batch run on every page: start it without them, and scrape the pages that need them alone.';

/** Pages that a crawl reads again, to compare what they say: one for so many of its limit beyond the first ones. */
const again = { after: 10, perPages: 4, most: 50 };
/** The pauses before a page is read again whose own scripts or data failed, the longest that its site can ask for, and of how many pages that may be in vain. */
const repairs = { pausesMs: [1_000, 2_000, 4_000], longestMs: 10_000, mostInVain: 20 };
/** Pages that are known to be as the crawl that is repeated has them. */
const maxUnchanged = 100_000;
/** Links of a page that says what another one does whose own pages are asked for at once. */
const maxAsked = 200;
/** Seconds that robots.txt can ask to wait between requests at most. */
const longestCrawlDelay = 30;

/** A page that was read. */
interface ReadPage extends RepeatedPage {
  finalUrl: URL;
  target: NewPage;
  read: TextPage;
  /** Whether no earlier crawl has it. */
  isNew: boolean;
  /** The page and others before it, if they aren't there. */
  missing: string[];
}

/** What the pages of a job are read with. */
interface PageFetcherUses {
  /** Which links the crawl follows; undefined for a batch, which accepts every page. */
  filter: LinkFilter | undefined;
  /** Compares with the crawl that this one repeats. */
  repeat: Repeat | undefined;
  knowledge: SiteKnowledge;
  /** Reads the rules of an origin, whether the job heeds them or not. */
  readRobots(origin: string): Promise<SiteRobots>;
  /** Called with what a page of the crawl leads to, and with the links that it lists, if it is a list. */
  onFound(pages: readonly NewPage[], listed: readonly string[], content?: readonly string[]): Promise<void>;
  /** Called with a form of a page whose choices would be pages of the crawl if they were links, or lists of such pages as this one is. */
  onChoices(found: FoundForm): Promise<void>;
  say: Say;
}

/**
 * Returns a function that fetches pages of a job and determines their outcome. It ends `visit` as soon as the host has responded,
 * and calls `onAsking` with false while the page is converted or a model reads it, and with true when the host is asked again.
 * It rejects only when `signal` aborts.
 */
export function createPageFetcher(
  job: Job,
  { scraper, fetcher, clock }: Pick<RunParts, 'scraper' | 'fetcher' | 'clock'>,
  { filter, repeat, knowledge, readRobots, onFound, onChoices, say }: PageFetcherUses,
  signal: AbortSignal,
) {
  const { templates, texts, traps, equal, loginPages } = knowledge;
  /** Identities of pages that are as the earlier crawl has them. */
  const unchanged = new Set<string>();
  const comparesTexts = filter !== undefined && job.options.deduplicateSimilarURLs !== false;
  const { profile } = job.scrapeOptions;
  // Several pages are read at a time, and only one browser may save to a profile.
  const options = { ...job.scrapeOptions, ...(profile && { profile: { ...profile, saveChanges: false } }) };
  const startIdentity = filter && identityOfText(filter, job.url);
  const missingPages = createMissingPages(
    `no-page-${job.id.slice(0, 8)}`,
    ask,
    async (origin) => (await readRobots(origin)).isMissing === true,
  );
  const common = { team: job.team, job: job.id, unstored: job.options.zeroDataRetention, templates, signal };
  const lacks = {
    pages: createLacks(job.warnings.pages),
    'pages read for links': createLacks(job.warnings['pages read for links']),
  };
  let vainRepairs = 0;
  let rereads = Math.min(again.most, Math.floor((limitOf(job) - again.after) / again.perPages));

  /** Milliseconds between pages that are read beside those of the crawl. @param rules those that are obeyed */
  const paceMs = (rules: SiteRobots | undefined) => Math.max((job.options.delay ?? 0) * 1000, crawlDelayMs(rules));

  /** Returns the rules that disallow a URL to be read beside the pages of the crawl, if there are such, once it is its turn. */
  async function rulesAgainst({ origin, pathname, search }: URL): Promise<SiteRobots | undefined> {
    const rules = job.options.ignoreRobotsTxt === true ? undefined : await readRobots(origin);
    if (rules && !rules.allows(pathname + search)) return rules;
    if (paceMs(rules) > 0) await pause(paceMs(rules), clock, signal);
    return undefined;
  }

  /** Reads a URL beside the pages of the crawl, to compare what the site says there. */
  async function ask(url: string): Promise<ScrapedPage | undefined> {
    if (await rulesAgainst(new URL(url))) return undefined;
    try {
      return await scraper.scrape({
        ...common,
        url,
        wording: true,
        options: { ...options, formats: [{ type: 'links' }], maxAge: 0, storeInCache: false },
      });
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  /** Reads a page again whose own scripts or data failed for a reason that may pass, unless that would repeat actions. */
  async function readWhole<Page extends PageReading>(
    url: string,
    first: Page,
    again: () => Promise<Page>,
  ): Promise<Page> {
    if (!first.failedParts || first.statusCode >= 400 || options.actions?.length || vainRepairs >= repairs.mostInVain)
      return first;
    const rules = job.options.ignoreRobotsTxt === true ? undefined : await readRobots(new URL(url).origin);
    let last: Page | undefined = first;
    for (const pauseMs of repairs.pausesMs) {
      const askedMs = last?.failedParts?.retryAfterMs ?? 0;
      if (!last?.failedParts || askedMs > repairs.longestMs) break;
      await pause(Math.max(pauseMs, askedMs, paceMs(rules)), clock, signal);
      last = await again().catch(() => undefined);
      signal.throwIfAborted();
      // What a browser has not shown, or another page, is no better.
      if (!last?.rendered || last.statusCode >= 400 || last.finalUrl !== first.finalUrl) break;
      if (!last.failedParts) return last;
    }
    vainRepairs++;
    return first;
  }

  async function visitPage(
    page: WaitingPage,
    visit: Visit,
    onAsking: (asking: boolean) => void,
  ): Promise<ReadPage | FetchResult> {
    let left = false;
    const scrape = (known?: KnownPage) =>
      scraper.scrape({
        ...common,
        url: page.url,
        options: page.for_links === 1 ? { ...options, formats: [{ type: 'links' }] } : options,
        allLinks: filter !== undefined,
        wording: filter !== undefined,
        listed: filter?.mayLeaveOut === true && page.for_links === 0,
        hidden: page.hidden === 1,
        known,
        onAsking,
        improve: (first, again) => readWhole(page.url, first, again),
      });
    try {
      const { scraped, change, copyOf }: RepeatedPage =
        repeat && page.for_links === 0 ? await repeat(page, scrape) : { scraped: await scrape(), change: undefined };
      const { statusCode, retryAfterMs } = scraped;
      if (statusCode === 429 || (statusCode === 503 && retryAfterMs !== undefined)) {
        left = true;
        if (visit.refused(retryAfterMs) === 'try again') return 'try again';
        return { unavailable: refusalOf(scraped) };
      }
      const finalUrl = parseLink(scraped.finalUrl) ?? new URL(page.url);
      if (comparesTexts) finalUrl.hash = routeOfPage(scraped);
      const target = pageAt(finalUrl, page.depth);
      const read: TextPage = { identity: target.identity, url: finalUrl.href, scraped };
      // What the earlier crawl has isn't missing in this one.
      const isNew = page.for_links === 0 && page.hidden === 0 && (!change || change.status === 'new');
      let missing: string[] = [];
      if (comparesTexts && isNew && statusCode < 400 && filter.scope.admits(finalUrl)) {
        missing = await missingPages.find(read, page.url, page.identity === startIdentity);
        if (missing.length === 0)
          await texts.compare(read, async (url) => (rereads-- > 0 ? (await ask(url))?.wording : undefined));
      }
      left = true;
      visit.leave();
      return { scraped, change, copyOf, finalUrl, target, read, isNew, missing };
    } catch (error) {
      if (!left) visit.leave();
      signal.throwIfAborted();
      const code = (error as { code?: unknown }).code;
      const message = messageOf(error);
      if (code === 'SCRAPE_ACTION_ERROR')
        return { outcome: failure(page, code, `${message.replace(/\.?$/, '.')} ${actionsOfJobs}`) };
      return { outcome: failure(page, typeof code === 'string' ? code : 'UNKNOWN_ERROR', message) };
    }
  }

  /** Returns where the feeds of the start page lead. */
  async function readFeeds(start: ScrapedPage): Promise<string[]> {
    if (job.options.sitemap === 'skip' || job.options.maxDiscoveryDepth === 0) return [];
    let lack: string | undefined;
    const links = await linksOfFeeds(fetcher, start, rulesAgainst, signal, {
      skipTlsVerification: skipsTlsVerification(job.scrapeOptions),
      onLacking(url, why) {
        lack ??= `A feed could not be read as a whole, so pages may be missing: ${shorten(url)}: ${why}`;
      },
    });
    say('feeds', lack);
    return links;
  }

  const pageAt = (url: URL, depth: number): NewPage => ({
    url: url.href,
    origin: url.origin,
    depth,
    identity: filter?.identityOf(url) ?? url.href,
  });

  /** Returns the URL that a page names as its own. */
  function canonicalOf({ document: { metadata } }: ScrapedPage): URL | undefined {
    return typeof metadata.canonical === 'string' ? parseLink(metadata.canonical) : undefined;
  }

  /** Reports a page under one URL, whatever the visit: that which it names, if it is one of its own, or the one without what identifies the visit. */
  function nameOnce(scraped: ScrapedPage, finalUrl: URL): void {
    const canonical = canonicalOf(scraped);
    const isOwn =
      canonical?.origin === finalUrl.origin && filter?.identityOf(canonical) === filter?.identityOf(finalUrl);
    scraped.document.metadata.url = isOwn ? canonical.href : withoutVisit(finalUrl);
  }

  /** Returns the original of a page, whose URL is given, if it is another one that the crawl would get. */
  async function originalOf({ id, identity, depth }: WaitingPage, finalUrl: URL, url: URL | undefined) {
    if (!url || !filter?.scope.admits(url)) return undefined;
    const original = { ...pageAt(url, depth), foundOn: id };
    if (original.identity === identity || original.identity === filter.identityOf(finalUrl)) return undefined;
    return (await filter.matches(url)).admitted ? original : undefined;
  }

  /** Returns as which page of the crawl a page outside it names itself, by a part of its own path. */
  async function itselfOf(page: WaitingPage, finalUrl: URL, scraped: ScrapedPage): Promise<NewPage | undefined> {
    const url = canonicalOf(scraped);
    const [path = '', named = ''] = [finalUrl, url].map((each) => each?.pathname.replace(/\/+$/, ''));
    // The newest version of a page, as `/latest/setup` for `/1.x/setup`, is another page, and may not be there.
    const isItself = path.endsWith(named) || path.startsWith(`${named}/`);
    return isItself ? await originalOf(page, finalUrl, url) : undefined;
  }

  return async (page: WaitingPage, visit: Visit, onAsking: (asking: boolean) => void): Promise<FetchResult> => {
    try {
      return await readPage(page, visit, onAsking);
    } catch (error) {
      // What a page alone leads to ends that page; the crawl goes on.
      if (signal.aborted || error instanceof ServiceError || storageProblem(error) !== undefined) throw error;
      return { outcome: failure(page, 'UNKNOWN_ERROR', messageOf(error)) };
    }
  };

  async function readPage(page: WaitingPage, visit: Visit, onAsking: (asking: boolean) => void): Promise<FetchResult> {
    const visited = await visitPage(page, visit, onAsking);
    if (typeof visited === 'string' || !('scraped' in visited)) return visited;
    const { scraped, change, copyOf, finalUrl, target, read, isNew, missing } = visited;
    if (isKnownAsRemoved(scraped))
      return { outcome: { kind: 'document', scraped, found: [], finalPage: undefined, change } };
    if (scraped.statusCode >= 400) return { outcome: statusFailure(page, scraped) };
    if (!filter) return { outcome: { kind: 'document', scraped, found: [], finalPage: undefined } };

    if (missing.length > 0) {
      const earlier = missing.map((url) => pageAt(new URL(url), 0).identity).filter((each) => each !== page.identity);
      return { outcome: { kind: 'repeated', found: [], reason: 'notFound', earlier } };
    }
    if (comparesTexts) nameOnce(scraped, finalUrl);
    const isStart = page.identity === startIdentity;
    if (isStart && finalUrl.href !== page.url) {
      filter.scope.extend(finalUrl);
      job.found_at = finalUrl.href;
    }
    if (!isStart && !filter.scope.admits(finalUrl)) {
      if (page.for_links === 1) return { outcome: { kind: 'read for links', found: [], read: true } };
      return { outcome: outOfScope(page, finalUrl, scraped) };
    }
    // A page of the crawl where it was expected has been matched when it was found.
    const isAsFound = !isStart && page.for_links === 0 && finalUrl.href === page.url;
    const matched = isAsFound ? { admitted: true, slow: [] } : await filter.matches(finalUrl);
    const follows = job.options.sitemap !== 'only' && page.hidden === 0;
    const ofFeeds = isStart && follows ? await readFeeds(scraped) : [];
    const links = [...scraped.links, ...ofFeeds];
    const none = { pages: [], slow: [] };
    const ofPage = follows ? await filter.pickOfPage(scraped.links, page.depth + 1) : none;
    const ofItsFeeds = ofFeeds.length > 0 ? await filter.pickOfPage(ofFeeds, page.depth + 1) : none;
    const slow = new Set([...matched.slow, ...ofPage.slow, ...ofItsFeeds.slow]);
    const picked = [...ofPage.pages, ...ofItsFeeds.pages.map((each) => ({ ...each, foundOn: placeIds.feed }))];
    if (slow.size > 0)
      say(
        'path patterns',
        `These path patterns took too long to match, so some paths were skipped: ${listed([...slow])}`,
      );
    const most = Math.max(scraped.links.length, ofFeeds.length);
    if (follows && most > maxFollowed)
      say(
        'links of a page',
        `Only the first ${maxFollowed.toLocaleString('en')} links of a page were followed, so pages may be missing: ${shorten(page.url)} has ${most.toLocaleString('en')}`,
      );
    if (follows && scraped.choices && page.depth < (job.options.maxDiscoveryDepth ?? Number.POSITIVE_INFINITY))
      await onChoices({
        on: finalUrl.href,
        form: scraped.choices,
        isList: picked.some(({ role }) => role === undefined),
      });
    const isVain = texts.isVain(read);
    const from = { ...pageAt(new URL(page.url), page.depth), identity: page.identity };
    const led = traps.read(from, isVain, picked);
    // Another page may be the one that says why they are worth reading.
    const done = isVain ? {} : { links };
    const isStored = page.for_links === 0 && matched.admitted;
    // Of a crawl that begins at a login, all may be missing.
    const isAll = !isStored || (isStart && scraped.asksToLogIn);
    const missed = isAll ? lackedBy(scraped, page.url, isStart) : (follows && scraped.hidesLinks) || [];
    const noteLacks = () => {
      if (missed.length === 0) return;
      const about = isStored ? 'pages' : 'pages read for links';
      lacks[about].add(page.url, missed.join(' '));
      say(about, lacks[about].all());
    };
    if (!isStored) noteLacks();
    if (page.for_links === 1) {
      const shape = shapeOf(new URL(page.url));
      // It leads to the page that it is itself under another URL, as a shop's product within a collection does.
      const itself = matched.admitted ? target : await itselfOf(page, finalUrl, scraped);
      const found = [...(itself ? [itself] : []), ...led].map((each) => ({ ...each, from: shape }));
      const standsIn = itself !== undefined && itself.url !== page.url;
      return { ...done, outcome: { kind: 'read for links', found, read: true, standsIn } };
    }
    if (!matched.admitted) {
      if (!isStart) return { outcome: outOfScope(page, finalUrl, scraped) };
      const itself = follows ? await itselfOf(page, finalUrl, scraped) : undefined;
      return { ...done, outcome: { kind: 'passed over', found: itself ? [itself, ...led] : led } };
    }
    await onFound(picked, scraped.listed ?? [], scraped.contentLinks);
    if (scraped.asksToLogIn) loginPages.add(finalUrl.href);
    const finalPage = target.identity === page.identity ? undefined : target;
    const outcome: Outcome = { kind: 'document', scraped, found: led, finalPage, change };
    if (comparesTexts && !isNew) {
      // It is stored in any case. What it says is known if it was converted again.
      texts.twinOf(read, undefined);
      if (change?.status === 'same' && unchanged.size < maxUnchanged) unchanged.add(page.identity).add(target.identity);
    }
    if (!comparesTexts || !isNew) {
      noteLacks();
      return { ...done, outcome };
    }
    if (!isStart && scraped.asksToLogIn && scraped.isLogin && leadsBack(finalUrl, page.url))
      return { ...done, outcome: { kind: 'repeated', found: led, reason: 'login' } };
    const login = scraped.isLogin && {
      key: `login ${scraped.wording?.digest}`,
      // A crawl that begins at a login has it.
      isElsewhere: texts.isLoginElsewhere(read) || scraped.asksToLogIn === true || isStart,
    };
    const copied = await originalOf(page, finalUrl, copyOf);
    const original = copied ?? (await originalOf(page, finalUrl, canonicalOf(scraped)));
    const named: Original | undefined = original && {
      identity: original.identity,
      alike: isCopyOf(new URL(original.url).pathname, finalUrl.pathname, isVain),
    };
    return {
      ...done,
      outcome,
      ...(original && follows && { original }),
      ...(login && { login }),
      repeated: () => {
        if (missingPages.isMissing(read, page.url, isStart)) return { kind: 'repeated', found: [], reason: 'notFound' };
        const still = copied && unchanged.has(copied.identity) ? copied : undefined;
        const twin =
          texts.twinOf(read, named) ??
          (still && { url: still.url, isCertain: true, isLogin: scraped.isLogin === true });
        if (twin === undefined) {
          equal.own(finalUrl.href);
          noteLacks();
          return undefined;
        }
        // What is behind a login may differ.
        const times = twin.isLogin ? 0 : equal.same(finalUrl.href, twin.url);
        // Two short pages may be alike by chance.
        if (!twin.isCertain && times < 2) return void noteLacks();
        let asked = 0;
        // A page can have many links. The others are asked about before they are read.
        const isKnown = (url: string) => ++asked <= maxAsked && equal.isKnown(url);
        const found = traps.repeated(from, twin.url, led, isKnown);
        const isLogin = scraped.asksToLogIn || twin.isLogin || loginPages.has(twin.url);
        const copy = scraped.wording && { digest: scraped.wording.digest, of: twin.url };
        return { kind: 'repeated', found, reason: isLogin ? 'login' : 'duplicate', ...(copy && { copy }) };
      },
    };
  }
}

/** Milliseconds between requests that a site asks for, as far as it is heeded. */
export function crawlDelayMs(rules: SiteRobots | undefined): number {
  return Math.min(rules?.crawlDelay ?? 0, longestCrawlDelay) * 1000;
}

/** Whether a page that had a version is gone, which the changeTracking format reports. */
function isKnownAsRemoved({ document: { changeTracking } }: ScrapedPage): boolean {
  return changeTracking?.changeStatus === 'removed' && changeTracking.previousScrapeAt !== null;
}

function identityOfText(filter: LinkFilter, text: string): string | undefined {
  const url = parseLink(text);
  return url && filter.identityOf(url);
}

/** Whether a page may be a copy of its original by their paths: the same, or below it if it says nothing new, as an AMP page is. */
function isCopyOf(original: string, path: string, isVain: boolean): boolean {
  return path === original || (isVain && path.startsWith(`${original.replace(/\/+$/, '')}/`));
}

function refusalOf({ statusCode, retryAfterMs, doubt }: ScrapedPage): string {
  const refusal = retryAfterMs
    ? `the host returned status ${statusCode} and asked to wait ${Math.ceil(retryAfterMs / 1000)} s`
    : `the host keeps returning status ${statusCode}`;
  return doubt === undefined ? refusal : `${refusal}. ${doubt.replace(/\.$/, '')}`;
}

/** Returns the outcome of a page that was not fetched, or whose fetch failed. */
export function failure(page: WaitingPage, code: string, error: string): Outcome {
  return { kind: 'failed', code, error, metadata: { sourceURL: page.url, url: page.url, error } };
}

function statusFailure(page: WaitingPage, { statusCode, doubt, document }: ScrapedPage): Outcome {
  const status = `The page returned ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim();
  const error = doubt === undefined ? status : `${status}. ${doubt}`;
  const metadata = { ...document.metadata, error, statusCode, sourceURL: page.url };
  return { kind: 'failed', code: `HTTP_${statusCode}`, error, metadata };
}

/** Whether the query of a login page names the page to go on to, as `?next=` does: it stands in for that, unlike a page to sign up. */
function leadsBack({ searchParams }: URL, asked: string): boolean {
  return [...searchParams.values()].some((value) => {
    const next = /^(?:\/|https?:)/.test(value) ? URL.parse(value, asked) : null;
    return next !== null && next.pathname !== '/' && withoutQuery(next.href) === withoutQuery(asked);
  });
}

function outOfScope(page: WaitingPage, target: URL, { asksToLogIn }: ScrapedPage): Outcome {
  if (asksToLogIn) return { kind: 'repeated', found: [], reason: 'login' };
  return failure(
    page,
    'REDIRECT_OUT_OF_SCOPE',
    `The page redirects to ${shorten(target.href)}, which is not part of the crawl.`,
  );
}
