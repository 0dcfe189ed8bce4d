import type { ScrapeDocument } from '../../contract/scrape.ts';
import { ServiceError } from '../errors.ts';
import type { Caller } from '../http/keys.ts';

/** A page of a crawl. */
export interface CrawledPage {
  url: string;
  title?: string | undefined;
  markdown: string;
}

/** Returns the documents of a finished crawl. Throws 404 or 403 when the caller has no such crawl, 409 while it is running. */
export type DocumentsOfCrawl = (caller: Caller, crawlId: string) => { url: string; pages: Iterable<CrawledPage> };

/** The part of the crawl jobs that is used here. */
interface CrawlJobs<Job extends { url: string; status: string }> {
  find(caller: Caller, kind: 'crawl', id: string): Job;
  /** Documents of a job after its first `after` ones. */
  documents(job: Job, after: number, count: number, bytes: number): ScrapeDocument[];
}

const batchSize = 50;
const batchBytes = 4 * 1024 * 1024;

/** Reads the documents of crawls in batches. */
export function documentsOfCrawls<Job extends { url: string; status: string }>(jobs: CrawlJobs<Job>): DocumentsOfCrawl {
  return (caller, crawlId) => {
    const job = jobs.find(caller, 'crawl', crawlId);
    if (job.status === 'scraping')
      throw new ServiceError(409, 'The crawl is still running. Index it when it has ended.');
    return { url: job.url, pages: pagesOf(jobs, job) };
  };
}

function* pagesOf<Job extends { url: string; status: string }>(jobs: CrawlJobs<Job>, job: Job): Iterable<CrawledPage> {
  for (let after = 0; ; ) {
    const documents = jobs.documents(job, after, batchSize, batchBytes);
    for (const { markdown, metadata } of documents) {
      const url = metadata?.url ?? metadata?.sourceURL;
      if (markdown && url) yield { url, title: metadata?.title ?? undefined, markdown };
    }
    if (documents.length === 0) return;
    after += documents.length;
  }
}
