import { STATUS_CODES } from 'node:http';
import { messageOf } from '../../errors.ts';
import type { ScrapedPage } from '../../scrape/scrape.ts';
import type { LinkFilter } from '../scope/link-filter.ts';
import { parseLink } from '../scope/urls.ts';
import type { NewPage, WaitingPage } from '../store/frontier.ts';
import type { Job } from '../store/job-table.ts';
import type { Visit } from './host-gates.ts';
import type { Outcome } from './page-store.ts';
import type { RunParts } from './run-parts.ts';

/** The result of a fetch: an outcome, or what to do because the host refused the request. */
export type FetchResult =
  /** `links` are those of the page that the outcome covers. */
  | { outcome: Outcome; links?: string[] }
  | 'try again'
  /** Why no more pages of the host are fetched. */
  | { unavailable: string };

/** Fetches pages of a job and determines their outcome. */
export interface PageFetcher {
  /**
   * Ends `visit` as soon as the host has responded. Calls `onAsking` with false while the page is converted or a model
   * reads it, and with true when the host is asked again. Rejects only when `signal` aborts.
   */
  fetch(page: WaitingPage, visit: Visit, onAsking: (asking: boolean) => void): Promise<FetchResult>;
}

/**
 * @param filter which links the crawl follows; undefined for a batch, which accepts every page
 * @param onSlow called with path patterns that take too long to match
 */
export function createPageFetcher(
  job: Job,
  { scraper }: Pick<RunParts, 'scraper'>,
  filter: LinkFilter | undefined,
  signal: AbortSignal,
  onSlow: (patterns: string[]) => void,
): PageFetcher {
  const startIdentity = filter && identityOfText(filter, job.url);

  async function visitPage(
    page: WaitingPage,
    visit: Visit,
    onAsking: (asking: boolean) => void,
  ): Promise<ScrapedPage | FetchResult> {
    let left = false;
    try {
      const scraped = await scraper.scrape({
        url: page.url,
        options: job.scrapeOptions,
        team: job.team,
        job: job.id,
        allLinks: filter !== undefined,
        hidden: page.hidden === 1,
        onAsking,
        signal,
      });
      left = true;
      const { statusCode, retryAfterMs } = scraped;
      if (statusCode === 429 || (statusCode === 503 && retryAfterMs !== undefined)) {
        if (visit.refused(retryAfterMs) === 'try again') return 'try again';
        return { unavailable: refusalOf(scraped) };
      }
      visit.leave();
      return scraped;
    } catch (error) {
      if (!left) visit.leave();
      signal.throwIfAborted();
      const code = (error as { code?: unknown }).code;
      const message = messageOf(error);
      return { outcome: failure(page, typeof code === 'string' ? code : 'UNKNOWN_ERROR', message) };
    }
  }

  return {
    async fetch(page, visit, onAsking) {
      const scraped = await visitPage(page, visit, onAsking);
      if (typeof scraped === 'string' || !('document' in scraped)) return scraped;
      if (isKnownAsRemoved(scraped)) return { outcome: { kind: 'document', scraped, found: [], finalPage: undefined } };
      if (scraped.statusCode >= 400) return { outcome: statusFailure(page, scraped) };
      if (!filter) return { outcome: { kind: 'document', scraped, found: [], finalPage: undefined } };

      const finalUrl = parseLink(scraped.finalUrl) ?? new URL(page.url);
      const isStart = page.identity === startIdentity;
      if (isStart && finalUrl.href !== page.url) {
        filter.scope.extend(finalUrl);
        job.found_at = finalUrl.href;
      }
      if (!isStart && !filter.scope.admits(finalUrl)) return { outcome: outOfScope(page, finalUrl) };
      const matched = await filter.matches(finalUrl);
      const follows = job.options.sitemap !== 'only' && page.hidden === 0;
      const picked = follows ? await filter.pickOfPage(scraped.links, page.depth + 1) : { pages: [], slow: [] };
      if (matched.slow.length + picked.slow.length > 0) onSlow([...matched.slow, ...picked.slow]);
      const done = { links: scraped.links };
      if (!matched.admitted) {
        if (!isStart) return { outcome: outOfScope(page, finalUrl) };
        return { ...done, outcome: { kind: 'passed over', found: picked.pages } };
      }
      const identity = filter.identityOf(finalUrl);
      const finalPage: NewPage | undefined =
        identity === page.identity
          ? undefined
          : { url: finalUrl.href, origin: finalUrl.origin, identity, depth: page.depth };
      return { ...done, outcome: { kind: 'document', scraped, found: picked.pages, finalPage } };
    },
  };
}

/** Whether a page that had a version is gone, which the changeTracking format reports. */
function isKnownAsRemoved({ document: { changeTracking } }: ScrapedPage): boolean {
  return changeTracking?.changeStatus === 'removed' && changeTracking.previousScrapeAt !== null;
}

function identityOfText(filter: LinkFilter, text: string): string | undefined {
  const url = parseLink(text);
  return url && filter.identityOf(url);
}

function refusalOf({ statusCode, retryAfterMs }: ScrapedPage): string {
  if (!retryAfterMs) return `the host keeps returning status ${statusCode}`;
  return `the host returned status ${statusCode} and asked to wait ${Math.ceil(retryAfterMs / 1000)} s`;
}

/** Returns the outcome of a page that was not fetched, or whose fetch failed. */
export function failure(page: WaitingPage, code: string, error: string): Outcome {
  return { kind: 'failed', code, error, metadata: { sourceURL: page.url, url: page.url, error } };
}

function statusFailure(page: WaitingPage, { statusCode, document }: ScrapedPage): Outcome {
  const error = `The page returned ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim();
  const metadata = { ...document.metadata, error, statusCode, sourceURL: page.url };
  return { kind: 'failed', code: `HTTP_${statusCode}`, error, metadata };
}

function outOfScope(page: WaitingPage, target: URL): Outcome {
  return failure(
    page,
    'REDIRECT_OUT_OF_SCOPE',
    `The page redirects to ${target.href}, which is not part of the crawl.`,
  );
}
