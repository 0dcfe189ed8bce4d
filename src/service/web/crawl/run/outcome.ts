import { STATUS_CODES } from 'node:http';
import type { LeftOutReason } from '../../../../contract/crawl/left-out.ts';
import type { ScrapeDocument } from '../../../../contract/scrape/scrape.ts';
import { shorten } from '../../../../contract/shorten.ts';
import type { ScrapedPage } from '../../scrape/scrape.ts';
import type { NewPage, PageCopy, WaitingPage } from '../store/frontier.ts';
import type { PageChange } from './repeat.ts';

export type RepeatedReason = LeftOutReason & ('duplicate' | 'login' | 'notFound');

/** The outcome of a page. */
export type Outcome =
  | {
      kind: 'document';
      scraped: ScrapedPage;
      found: NewPage[];
      finalPage: NewPage | undefined;
      change?: PageChange | undefined;
    }
  /** The same page as another one, such as the login page or what the site says of pages that aren't there. */
  | {
      kind: 'repeated';
      found: NewPage[];
      reason: RepeatedReason;
      /** Identities of pages that say the same, and may be stored already. */
      earlier?: string[];
      /** For a crawl that repeats this one. */
      copy?: PageCopy;
    }
  /** In an endless number of pages that say nothing new. */
  | { kind: 'trap' }
  /** The start page, fetched only for its links. */
  | { kind: 'passed over'; found: NewPage[] }
  /** A page that may lead to others, read for its links or not. */
  | { kind: 'read for links'; found: NewPage[]; read: boolean }
  | { kind: 'failed'; code: string; error: string; metadata: NonNullable<ScrapeDocument['metadata']> }
  /** Disallowed by robots.txt. */
  | { kind: 'blocked'; error: string };

/** Returns the outcome of a page that was not fetched, or whose fetch failed. */
export function failure(page: WaitingPage, code: string, error: string): Outcome {
  return { kind: 'failed', code, error, metadata: { sourceURL: page.url, url: page.url, error } };
}

/** Returns the outcome of a page that its site has answered with an error. */
export function statusFailure(page: WaitingPage, { statusCode, doubt, document }: ScrapedPage): Outcome {
  const status = `The page returned ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim();
  const error = doubt === undefined ? status : `${status}. ${doubt}`;
  const metadata = { ...document.metadata, error, statusCode, sourceURL: page.url };
  return { kind: 'failed', code: `HTTP_${statusCode}`, error, metadata };
}

/** Returns the outcome of a page that has led to one that the crawl doesn't have. */
export function outOfScope(page: WaitingPage, target: URL, { asksToLogIn }: ScrapedPage): Outcome {
  if (asksToLogIn) return { kind: 'repeated', found: [], reason: 'login' };
  return failure(
    page,
    'REDIRECT_OUT_OF_SCOPE',
    `The page redirects to ${shorten(target.href)}, which is not part of the crawl.`,
  );
}
