import type { JobRef } from '../../../client/job-documents.ts';
import type { FoundPage, JobPage, PageFolder } from '../../../contract/crawl/pages.ts';
import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';

/** The folders and pages directly in a folder of a job. */
export interface FolderListing {
  /** URL prefix of the folder. */
  folder: string;
  folders: PageFolder[];
  pages: JobPage[];
  /** Where to continue; undefined at the end. */
  cursor: string | undefined;
  pageCount: number;
  failedCount: number;
  blockedCount: number;
}

export interface PageList {
  pages: JobPage[];
  cursor: string | undefined;
}

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

/** The pages of a crawl or batch on one server. Its methods reject with a ClientError. */
export interface PageSource {
  readonly job: JobRef;
  /** Lists a folder, given by its URL prefix; the top folder by default. */
  folder(folder: string | undefined, cursor: string | undefined, limit: number): Promise<FolderListing>;
  list(request: ListRequest): Promise<PageList>;
  /** Returns the first page that has one of the URLs. */
  find(urls: readonly string[]): Promise<JobPage | undefined>;
  /** Returns the pages that URLs stand for, by URL; those that aren't pages of the job are left out. */
  findAll(urls: readonly string[]): Promise<ReadonlyMap<string, JobPage>>;
  document(page: JobPage): Promise<ScrapeDocument>;
  /** Waits until `list` covers all pages of the job. */
  complete(): Promise<void>;
}
