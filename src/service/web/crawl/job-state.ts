import type { JobErrors } from '../../../contract/crawl/crawl-jobs.ts';
import { endpoints } from '../../../contract/endpoints.ts';
import { limits } from '../../../contract/limits.ts';
import { lacksText } from './lacks.ts';
import { findingOf } from './store/found-on.ts';
import type { FailedPage } from './store/frontier.ts';
import { countedOf, type Job, type JobKind, type LacksAbout, limitOf } from './store/job-table.ts';

/** Under which paths jobs are. */
export const jobPaths: Readonly<Record<JobKind, string>> = {
  crawl: endpoints.startCrawl.path,
  batch_scrape: endpoints.startBatchScrape.path,
};

/** Returns how many documents a job has, or is expected to have in the end. */
function totalOf(job: Job): number {
  if (job.status === 'completed') return job.completed;
  const waiting = job.added - job.completed - job.failed - job.repeated - job.blocked - job.passed_over;
  return job.completed + Math.max(0, Math.min(waiting, limitOf(job) - countedOf(job)));
}

/** Which documents a response has: `read` of them after the first `skip`. */
interface StateRange {
  skip: number;
  read: number;
  limit: number;
  onlyChanges?: boolean;
  jobUrl: string;
  now: number;
}

/** Returns the state of a job for a response, without its documents: these are sent as they are stored. */
export function stateOf(job: Job, { skip, read: count, limit, onlyChanges, jobUrl, now }: StateRange) {
  const read = skip + count;
  const query = new URLSearchParams({
    skip: String(read),
    ...(limit !== limits.documentsPage.default && { limit: String(limit) }),
    ...(onlyChanges && { onlyChanges: 'true' }),
  });
  return {
    // The request succeeded, whatever the job did: published clients retry forever if a status response says otherwise.
    success: true,
    status: job.status,
    completed: job.completed,
    total: totalOf(job),
    readAs: { fetched: job.completed - job.rendered, rendered: job.rendered },
    ...(job.warned > 0 && { warned: job.warned }),
    ...(job.since !== null && { changes: changesOf(job) }),
    creditsUsed: job.credits,
    createdAt: date(job.created_at),
    ...(job.ended_at !== null && { completedAt: date(job.ended_at) }),
    expiresAt: date(job.expires_at),
    duration: Math.max(0, Math.round(((job.ended_at ?? now) - job.created_at) / 1000)),
    // Published clients follow `next` immediately, so it is set only when there is more to read.
    ...(read < job.completed && { next: `${jobUrl}?${query}` }),
    ...(job.error !== null && { error: job.error }),
    ...(Object.keys(job.warnings).length > 0 && { warning: warningOf(job) }),
    ...(job.link_reads > 0 && { readForLinks: job.link_reads }),
    ...(job.kind === 'crawl' && { pageLimit: limitOf(job) }),
    ...(job.found_at !== null && { redirectedTo: job.found_at }),
  };
}

const incomplete: Readonly<Record<LacksAbout, string>> = {
  pages: 'A page of the crawl is incomplete, so pages may be missing: ',
  'pages read for links': 'A page that was read only for its links is incomplete, so pages may be missing: ',
};

/** Returns the warnings of a job in lines. */
function warningOf({ warnings }: Job): string {
  const lines = Object.entries(warnings).map(([about, said]) =>
    typeof said === 'string' ? said : lacksText(said, incomplete[about as LacksAbout]),
  );
  return lines.join('\n');
}

/** Returns JSON in parts: that of an object without its end, and that of documents as another field of it. */
export function withDocuments(
  object: object,
  documents: readonly (string | Buffer)[],
  field = 'data',
): (string | Buffer)[] {
  const list = documents.flatMap((document, index) => (index === 0 ? [document] : [',', document]));
  return [`${JSON.stringify(object).slice(0, -1)},"${field}":[`, ...list, ']}'];
}

function changesOf({ new_pages, same_pages, changed_pages, removed_pages }: Job) {
  return { new: new_pages, same: same_pages, changed: changed_pages, removed: removed_pages };
}

/** Returns the failed and blocked pages of a job for a response. */
export function errorsOf(failures: FailedPage[], robotsBlocked: string[]): JobErrors {
  return {
    // Some published clients read errors only from an answer that says so.
    success: true,
    errors: failures.map(({ id, url, code, error, ended_at, ...found }) => ({
      id: String(id),
      timestamp: date(ended_at),
      url,
      code: code ?? 'UNKNOWN_ERROR',
      error: error ?? '',
      ...findingOf(found),
    })),
    robotsBlocked,
  };
}

function date(at: number): string {
  return new Date(at).toISOString();
}
