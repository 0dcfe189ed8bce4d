import { shorten } from '../../../../../contract/shorten.ts';
import { pause } from '../../../../platform/clock.ts';
import { asSentence, messageOf } from '../../../../platform/errors.ts';
import type { KnownPage } from '../../../scrape/changes/known-page.ts';
import type { PageReading, ScrapedPage } from '../../../scrape/scrape.ts';
import { skipsTlsVerification } from '../../../scrape/scrape-plan.ts';
import type { LinkFilter } from '../../scope/link-filter.ts';
import { routeOfPage } from '../../scope/routes.ts';
import { parseLink } from '../../scope/urls.ts';
import { linksOfFeeds } from '../../site/feeds.ts';
import type { SiteRobots } from '../../site/robots-cache.ts';
import type { NewPage, WaitingPage } from '../../store/frontier.ts';
import { type Job, limitOf, type Say } from '../../store/job-table.ts';
import type { Visit } from '../host-gates/host-gates.ts';
import { crawlDelayMs } from '../job-robots.ts';
import { failure, type Outcome } from '../outcome.ts';
import type { Repeat, RepeatedPage } from '../repeat.ts';
import type { RunParts } from '../run-parts.ts';
import type { TextPage } from '../site-knowledge/changing-words.ts';
import type { SiteKnowledge } from '../site-knowledge/site-knowledge.ts';
import { createMissingPages } from './missing-pages.ts';

/** Why the host refused a request, so that its page has no outcome yet. */
export type Refused =
  | 'try again'
  /** Why no more pages of the host are fetched. */
  | { unavailable: string };

/** Actions are part of what was asked for: a page without them isn't the one that was meant. */
const actionsOfJobs =
  'The actions of a crawl or batch run on every page: start it without them, and scrape the pages that need them alone.';

/** Pages that a crawl reads again, to compare what they say: one for so many of its limit beyond the first ones. */
const again = { after: 10, perPages: 4, most: 50 };
/** The pauses before a page is read again whose own scripts or data failed, the longest that its site can ask for, and of how many pages that may be in vain. */
const repairs = { pausesMs: [1_000, 2_000, 4_000], longestMs: 10_000, mostInVain: 20 };

/** A page that was read. */
export interface ReadPage extends RepeatedPage {
  finalUrl: URL;
  target: NewPage;
  read: TextPage;
  /** Whether the crawl starts with it. */
  isStart: boolean;
  /** Whether no earlier crawl has it. */
  isNew: boolean;
  /** The page and others before it, if they aren't there. */
  missing: string[];
}

/** What the pages of a job are visited with. */
export interface PageVisitsUses {
  /** Which links the crawl follows; undefined for a batch, which accepts every page. */
  filter: LinkFilter | undefined;
  /** Compares with the crawl that this one repeats. */
  repeat: Repeat | undefined;
  knowledge: SiteKnowledge;
  /** Reads the rules of an origin, whether the job heeds them or not. */
  readRobots(origin: string): Promise<SiteRobots>;
  say: Say;
}

/** Visits the pages of a job, and what is read beside them to know what they are. Rejects only when `signal` aborts. */
export function createPageVisits(
  job: Job,
  { scraper, fetcher, clock }: Pick<RunParts, 'scraper' | 'fetcher' | 'clock'>,
  { filter, repeat, knowledge, readRobots, say }: PageVisitsUses,
  signal: AbortSignal,
) {
  const { templates, texts } = knowledge;
  const comparesTexts = filter !== undefined && job.options.deduplicateSimilarURLs !== false;
  const { profile } = job.scrapeOptions;
  // Several pages are read at a time, and only one browser may save to a profile.
  const options = { ...job.scrapeOptions, ...(profile && { profile: { ...profile, saveChanges: false } }) };
  const start = parseLink(job.url);
  const startIdentity = start && filter?.identityOf(start);
  const missingPages = createMissingPages(
    `no-page-${job.id.slice(0, 8)}`,
    ask,
    async (origin) => (await readRobots(origin)).isMissing === true,
  );
  const common = { team: job.team, job: job.id, unstored: job.options.zeroDataRetention, templates, signal };
  let vainRepairs = 0;
  let rereads = Math.min(again.most, Math.floor((limitOf(job) - again.after) / again.perPages));

  /** Returns the rules of an origin that are obeyed. */
  const heeded = async (origin: string) =>
    job.options.ignoreRobotsTxt === true ? undefined : await readRobots(origin);

  /** Milliseconds between pages that are read beside those of the crawl. @param rules those that are obeyed */
  const paceMs = (rules: SiteRobots | undefined) => Math.max((job.options.delay ?? 0) * 1000, crawlDelayMs(rules));

  /** Returns the rules that disallow a URL to be read beside the pages of the crawl, if there are such, once it is its turn. */
  async function rulesAgainst({ origin, pathname, search }: URL): Promise<SiteRobots | undefined> {
    const rules = await heeded(origin);
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
    const rules = await heeded(new URL(url).origin);
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
  ): Promise<ReadPage | Refused | { outcome: Outcome }> {
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
      const target = pageAt(filter, finalUrl, page.depth);
      const isStart = page.identity === startIdentity;
      const read: TextPage = { identity: target.identity, url: finalUrl.href, scraped };
      // What the earlier crawl has isn't missing in this one.
      const isNew = page.for_links === 0 && page.hidden === 0 && (!change || change.status === 'new');
      let missing: string[] = [];
      if (comparesTexts && isNew && statusCode < 400 && filter.scope.admits(finalUrl)) {
        missing = await missingPages.find(read, page.url, isStart);
        if (missing.length === 0)
          await texts.compare(read, async (url) => (rereads-- > 0 ? (await ask(url))?.wording : undefined));
      }
      left = true;
      visit.leave();
      return { scraped, change, copyOf, finalUrl, target, read, isStart, isNew, missing };
    } catch (error) {
      if (!left) visit.leave();
      signal.throwIfAborted();
      const code = (error as { code?: unknown }).code;
      const message = messageOf(error);
      if (code === 'SCRAPE_ACTION_ERROR')
        return { outcome: failure(page, code, `${asSentence(message)} ${actionsOfJobs}`) };
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

  return {
    /** Whether pages that say what others do count as these. */
    comparesTexts,
    read: visitPage,
    readFeeds,
    isMissing: missingPages.isMissing,
  };
}

/** Returns the page at a URL, as it is found. */
export const pageAt = (filter: LinkFilter | undefined, url: URL, depth: number): NewPage => ({
  url: url.href,
  origin: url.origin,
  depth,
  identity: filter?.identityOf(url) ?? url.href,
});

function refusalOf({ statusCode, retryAfterMs, doubt }: ScrapedPage): string {
  const refusal = retryAfterMs
    ? `the host returned status ${statusCode} and asked to wait ${Math.ceil(retryAfterMs / 1000)} s`
    : `the host keeps returning status ${statusCode}`;
  return doubt === undefined ? refusal : `${refusal}. ${doubt.replace(/\.$/, '')}`;
}
