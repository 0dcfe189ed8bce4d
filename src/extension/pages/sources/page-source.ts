import * as l10n from '@vscode/l10n';
import type { JobRef } from '../../../client/job-documents.ts';
import type { JobErrors } from '../../../contract/crawl/crawl-jobs.ts';
import type { LeftOutPages } from '../../../contract/crawl/left-out.ts';
import type { FoundPage, JobPage, pageEndpoints } from '../../../contract/crawl/pages.ts';
import type { ResponseOf } from '../../../contract/endpoints.ts';
import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';

/** The folders and pages directly in a folder of a job. */
export type FolderListing = Pick<
  ResponseOf<typeof pageEndpoints.listPageFolder>,
  'folder' | 'folders' | 'pages' | 'cursor' | 'pageCount' | 'failedCount' | 'blockedCount'
>;

export type PageList = Pick<ResponseOf<typeof pageEndpoints.listPages>, 'pages' | 'cursor'>;

/** Which pages to list, and where to continue. */
export interface ListRequest {
  state?: 'ok' | 'failed' | 'blocked';
  cursor?: string | undefined;
  limit: number;
}

export interface SearchResults {
  results: FoundPage[];
  /** Number of matching pages. */
  total: number;
  cursor: string | undefined;
  /** Why the results may be incomplete. */
  note: string | undefined;
  /** Whether a repeated search may find more. */
  incomplete: boolean;
}

/** Returns a part of a list that is known as a whole, and where to continue. */
export function partOf<Item>(all: readonly Item[], cursor: string | undefined, limit: number) {
  const skip = Number(cursor ?? 0);
  const end = skip + limit;
  return { items: all.slice(skip, end), cursor: end < all.length ? String(end) : null };
}

/** The pages of a crawl or batch on one server. Its methods reject with a ClientError. */
export interface PageSource {
  readonly job: JobRef;
  /** Why pages are missing. */
  readonly failure?: unknown;
  /** Takes note of how far the job has come: a number of pages, or infinite if it has ended. */
  follow?(progress: number): void;
  /** Lists a folder, given by its URL prefix; the top folder by default. */
  folder(folder: string | undefined, cursor: string | undefined, limit: number): Promise<FolderListing>;
  list(request: ListRequest): Promise<PageList>;
  /** Returns the pages that URLs stand for, by URL; those that aren't pages of the job, or not read yet, are left out. */
  find(urls: readonly string[]): Promise<ReadonlyMap<string, JobPage>>;
  document(page: JobPage): Promise<ScrapeDocument>;
  /** Returns what a job that has ended left out, and why it has no pages; undefined if the server doesn't tell. */
  missing?(): Promise<{ leftOut: readonly LeftOutPages[]; warning: string | undefined } | undefined>;
  /** Waits until `list` covers all pages of the job. */
  complete(): Promise<void>;
}

/**
 * Returns the failed pages of a job, then those that robots.txt disallows: with the server's reason if it gives one for
 * the URL. They come after the given number of other pages.
 */
export function failuresOf({ errors, robotsBlocked }: JobErrors, after = 0): JobPage[] {
  const reasons = new Map(
    errors.map(({ url, code, error, linkedFrom, foundIn }) => [url, { code, reason: error, linkedFrom, foundIn }]),
  );
  const blocked = new Set(robotsBlocked);
  const failed = [...reasons.keys()].filter((url) => !blocked.has(url));
  return [...failed, ...blocked].map((url, index) => ({
    ...reasons.get(url),
    order: after + index + 1,
    url,
    reason: reasons.get(url)?.reason || (blocked.has(url) ? l10n.t('Blocked by robots.txt.') : undefined),
    state: blocked.has(url) ? 'blocked' : 'failed',
  }));
}

/** Returns the document of a page that has none: its URL and why it failed. */
export function documentOfFailure(page: JobPage): ScrapeDocument {
  const { url, title, statusCode, reason, state, linkedFrom, foundIn } = page;
  const error = reason ?? (state === 'blocked' ? l10n.t('Blocked by robots.txt.') : l10n.t('The page has no content.'));
  const found = { ...(linkedFrom && { linkedFrom }), ...(foundIn && { foundIn }) };
  return { metadata: { sourceURL: url, url, title, statusCode, error, ...found } };
}
