import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/keys.ts';

/** A page of a crawl. */
export interface CrawledPage {
  url: string;
  title?: string | undefined;
  markdown: string;
}

/** Returns the documents of a finished crawl. Throws 404 or 403 when the caller has no such crawl, 409 while it is running or if it failed without a page. */
export type DocumentsOfCrawl = (
  caller: Caller,
  crawlId: string,
) => Promise<{ url: string; pages: AsyncIterable<CrawledPage> }>;

interface CrawlJob {
  url: string;
  status: string;
  completed: number;
  error: string | null;
  options: { zeroDataRetention?: boolean | undefined };
}

/** The part of the crawl jobs that is used here. */
interface CrawlJobs<Job extends CrawlJob> {
  find(caller: Caller, kind: 'crawl', id: string): Promise<Job>;
  /** Documents of a job after its first `after` ones. */
  documents(job: Job, after: number, count: number, bytes: number): Promise<ScrapeDocument[]>;
}

const batchSize = 50;
const batchBytes = 4 * 1024 * 1024;

/** Reads the documents of crawls in batches. */
export function documentsOfCrawls<Job extends CrawlJob>(jobs: CrawlJobs<Job>): DocumentsOfCrawl {
  return async (caller, crawlId) => {
    const job = await jobs.find(caller, 'crawl', crawlId);
    if (job.options.zeroDataRetention)
      throw new ServiceError(409, 'The crawl has zeroDataRetention, so its pages are not indexed.');
    if (job.status === 'scraping')
      throw new ServiceError(409, 'The crawl is still running. Add it again when it has finished.');
    if (job.status === 'failed' && job.completed === 0) {
      throw new ServiceError(409, `The crawl failed and has no pages. ${job.error ?? ''}`.trim(), {
        code: 'CRAWL_FAILED',
      });
    }
    return { url: job.url, pages: pagesOf(jobs, job) };
  };
}

async function* pagesOf<Job extends CrawlJob>(jobs: CrawlJobs<Job>, job: Job): AsyncIterable<CrawledPage> {
  for (let after = 0; ; ) {
    const documents = await jobs.documents(job, after, batchSize, batchBytes);
    for (const { markdown, metadata, changeTracking } of documents) {
      // The site doesn't have it anymore.
      if (changeTracking?.changeStatus === 'removed') continue;
      const url = metadata?.url ?? metadata?.sourceURL;
      if (markdown && url) yield { url, title: metadata?.title ?? undefined, markdown };
    }
    if (documents.length === 0) return;
    after += documents.length;
  }
}
