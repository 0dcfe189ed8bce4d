import { endSlashes } from '../../../../../contract/addresses.ts';
import { shorten } from '../../../../../contract/shorten.ts';
import { storageProblem } from '../../../../../storage/storage.ts';
import { messageOf, ServiceError } from '../../../../platform/errors.ts';
import type { ScrapedPage } from '../../../scrape/scrape.ts';
import type { FoundForm } from '../../choice-pages.ts';
import { createLacks, lackedBy } from '../../lacks.ts';
import { maxFollowed } from '../../scope/link-filter.ts';
import { parseLink, readLink, withoutQuery, withoutVisit } from '../../scope/urls.ts';
import { placeIds } from '../../store/found-on.ts';
import type { NewPage, WaitingPage } from '../../store/frontier.ts';
import { type Job, limitOf } from '../../store/job-table.ts';
import type { Visit } from '../host-gates/host-gates.ts';
import { failure, type Outcome, outOfScope, statusFailure } from '../outcome.ts';
import type { RunParts } from '../run-parts.ts';
import { isToPrint } from '../site-knowledge/copies.ts';
import type { Original } from '../site-knowledge/page-texts.ts';
import { createGate } from './gate.ts';
import { createPageVisits, type PageVisitsUses, pageAt, type Refused } from './page-visits.ts';

/** The result of a fetch: an outcome, or what to do because the host refused the request. */
export type FetchResult = Fetched | Refused;

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

/** Pages that are known to be as the crawl that is repeated has them. */
const maxUnchanged = 100_000;
/** Links of a page that says what another one does whose own pages are asked for at once. */
const maxAsked = 200;

/** What the pages of a job are read with. */
interface PageFetcherUses extends PageVisitsUses {
  /** Called with what a page of the crawl leads to, and with the links that it lists, if it is a list. */
  onFound(pages: readonly NewPage[], listed: readonly string[], content?: readonly string[]): Promise<void>;
  /** Called with a form of a page whose choices would be pages of the crawl if they were links, or lists of such pages as this one is. */
  onChoices(found: FoundForm): Promise<void>;
}

/**
 * Returns a function that fetches pages of a job and determines their outcome. It ends `visit` as soon as the host has responded,
 * and calls `onAsking` with false while the page is converted or a model reads it, and with true when the host is asked again.
 * It rejects only when `signal` aborts.
 */
export function createPageFetcher(
  job: Job,
  parts: Pick<RunParts, 'scraper' | 'fetcher' | 'clock'>,
  uses: PageFetcherUses,
  signal: AbortSignal,
) {
  const { filter, onFound, onChoices, say } = uses;
  const { texts, traps, equal, loginPages } = uses.knowledge;
  const visits = createPageVisits(job, parts, uses, signal);
  const { comparesTexts } = visits;
  /** Identities of pages that are as the earlier crawl has them. */
  const unchanged = new Set<string>();
  /** Identities of pages that others outside the crawl name as what they are themselves. */
  const named = new Set<string>();
  const lacks = {
    pages: createLacks(job.warnings.pages),
    'pages read for links': createLacks(job.warnings['pages read for links']),
  };
  const gate = createGate();
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
    const original = { ...pageAt(filter, url, depth), foundOn: id };
    if (original.identity === identity || original.identity === filter.identityOf(finalUrl)) return undefined;
    return (await filter.matches(url)) ? original : undefined;
  }

  /** Returns as which page of the crawl a page outside it names itself, by its own path without some of its parts. */
  async function itselfOf(page: WaitingPage, finalUrl: URL, scraped: ScrapedPage): Promise<NewPage | undefined> {
    const url = canonicalOf(scraped);
    // The newest version of a page, as `/latest/setup` for `/1.x/setup`, is another page, and may not be there.
    const itself = url && isWithin(url, finalUrl) ? await originalOf(page, finalUrl, url) : undefined;
    if (itself) named.add(itself.identity);
    return itself;
  }

  return async (page: WaitingPage, visit: Visit, onAsking: (asking: boolean) => void): Promise<FetchResult> => {
    try {
      const result = await readPage(page, visit, onAsking);
      const isGone = typeof result === 'object' && 'outcome' in result && isNotThere(result.outcome);
      return isGone && named.has(page.identity) ? { outcome: { kind: 'passed over', found: [] } } : result;
    } catch (error) {
      // What a page alone leads to ends that page; the crawl goes on.
      if (signal.aborted || error instanceof ServiceError || storageProblem(error) !== undefined) throw error;
      return { outcome: failure(page, 'UNKNOWN_ERROR', messageOf(error)) };
    }
  };

  async function readPage(page: WaitingPage, visit: Visit, onAsking: (asking: boolean) => void): Promise<FetchResult> {
    const visited = await visits.read(page, visit, onAsking);
    if (typeof visited === 'string' || !('scraped' in visited)) return visited;
    const { scraped, change, copyOf, finalUrl, target, read, isStart, isNew, missing } = visited;
    if (isKnownAsRemoved(scraped))
      return { outcome: { kind: 'document', scraped, found: [], finalPage: undefined, change } };
    if (scraped.statusCode >= 400) return { outcome: statusFailure(page, scraped) };
    if (!filter) return { outcome: { kind: 'document', scraped, found: [], finalPage: undefined } };

    if (missing.length > 0) {
      const earlier = missing.map((url) => filter.identityOf(new URL(url))).filter((each) => each !== page.identity);
      return { outcome: { kind: 'repeated', found: [], reason: 'notFound', earlier } };
    }
    if (comparesTexts) nameOnce(scraped, finalUrl);
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
    const isAdmitted = isAsFound || (await filter.matches(finalUrl));
    const follows = job.options.sitemap !== 'only' && page.hidden === 0;
    const ofFeeds = isStart && follows ? await visits.readFeeds(scraped) : [];
    const links = [...scraped.links, ...ofFeeds];
    const ofPage = follows ? await filter.pick(scraped.links, page.depth + 1, readLink) : [];
    const ofItsFeeds = await filter.pick(ofFeeds, page.depth + 1, readLink);
    const picked = [...ofPage, ...ofItsFeeds.map((each) => ({ ...each, foundOn: placeIds.feed }))];
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
    const from = { ...pageAt(filter, new URL(page.url), page.depth), identity: page.identity };
    const led = traps.read(from, isVain, picked);
    // Another page may be the one that says why they are worth reading.
    const done = isVain ? {} : { links };
    const isStored = page.for_links === 0 && isAdmitted;
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
      // It leads to the page that it is itself under another URL, as a shop's product within a collection does.
      const itself = isAdmitted ? target : await itselfOf(page, finalUrl, scraped);
      const found = [...(itself ? [itself] : []), ...led].map((each) => ({ ...each, from: page.identity }));
      return { ...done, outcome: { kind: 'read for links', found, read: true } };
    }
    if (!isAdmitted) {
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
    const noteGate = () => {
      if (scraped.isLogin || !isInPlaceOf(finalUrl, page.url)) return;
      const said = gate.add(finalUrl, page.url, isStart);
      // What an earlier run said stays.
      if (said !== undefined) say('gate', said);
    };
    if (isStart) noteGate();
    if (!isStart && scraped.asksToLogIn && scraped.isLogin && leadsBack(finalUrl, page.url))
      return { ...done, outcome: { kind: 'repeated', found: led, reason: 'login' } };
    const login = scraped.isLogin && {
      key: `login ${scraped.wording?.digest}`,
      // A crawl that begins at a login has it.
      isElsewhere: texts.isLoginElsewhere(read) || scraped.asksToLogIn === true || isStart,
    };
    const copied = await originalOf(page, finalUrl, copyOf);
    // Where the limit has room for one page, that is the one that was asked for.
    const isOnly = isStart && limitOf(job) === 1;
    const original = isOnly ? undefined : (copied ?? (await originalOf(page, finalUrl, canonicalOf(scraped))));
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
        if (visits.isMissing(read, page.url, isStart)) return { kind: 'repeated', found: [], reason: 'notFound' };
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
        noteGate();
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

/** Whether a page that had a version is gone, which the changeTracking format reports. */
function isKnownAsRemoved({ document: { changeTracking } }: ScrapedPage): boolean {
  return changeTracking?.changeStatus === 'removed' && changeTracking.previousScrapeAt !== null;
}

/** Whether a page that may only be a name of another one is none: it isn't there, or leads back to that. */
function isNotThere(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && ['HTTP_404', 'HTTP_410', 'REDIRECT_OUT_OF_SCOPE'].includes(outcome.code);
}

/** Whether the path of a URL is that of another one without some parts in a row. Some sites call each page their home page. */
function isWithin({ pathname }: URL, whole: URL): boolean {
  const [parts, others] = [pathname, whole.pathname].map((path) => path.split('/').filter(Boolean));
  if (!parts?.length || !others || parts.length > others.length) return false;
  const unequal = parts.findIndex((part, at) => part !== others[at]);
  return unequal === -1 || parts.slice(unequal).join('/') === others.slice(unequal - parts.length).join('/');
}

/** Whether a page may be a copy of its original by their paths: the same, or below it or to print if it says nothing new, as an AMP page is. */
function isCopyOf(original: string, path: string, isVain: boolean): boolean {
  const isForm = path.startsWith(`${original.replace(endSlashes, '')}/`) || isToPrint(path, original);
  return path === original || (isVain && isForm);
}

/** Whether the query of a login page names the page to go on to, as `?next=` does: it stands in for that, unlike a page to sign up. */
function leadsBack(login: URL, asked: string): boolean {
  return new URL(asked).pathname !== '/' && names(login, asked);
}

/** Whether a site shows a page at another path in place of the one that was asked for, which its query names. */
function isInPlaceOf(shown: URL, asked: string): boolean {
  return shown.pathname !== new URL(asked).pathname && names(shown, asked);
}

/** Whether the query of a page names another one. */
function names({ searchParams }: URL, asked: string): boolean {
  return [...searchParams.values()].some((value) => {
    const named = /^(?:\/|https?:)/.test(value) ? URL.parse(value, asked) : null;
    return named !== null && withoutQuery(named.href) === withoutQuery(asked);
  });
}
