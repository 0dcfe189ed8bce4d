import type { JobErrors, JobState } from '../../contract/crawl-jobs.ts';
import { limits } from '../../contract/limits.ts';
import type { ScrapeDocument } from '../../contract/scrape.ts';
import type { FailedPage } from './frontier.ts';
import type { Job } from './job-table.ts';

/** How many documents a job has, or will have as far as it is known. */
export function totalOf(job: Job): number {
  if (job.status === 'completed') return job.completed;
  const fetched = job.completed + job.failed + job.repeated;
  const waiting = job.added - fetched - job.blocked - job.passed_over;
  const limit = job.kind === 'crawl' ? (job.options.limit ?? limits.crawlPages.default) : Number.POSITIVE_INFINITY;
  return job.completed + Math.max(0, Math.min(waiting, limit - fetched));
}

/** What is told of a job, with some of its documents. */
export function stateOf(
  job: Job,
  data: ScrapeDocument[],
  { skip, limit, jobUrl, now }: { skip: number; limit: number; jobUrl: string; now: number },
): JobState {
  const read = skip + data.length;
  const query = new URLSearchParams({
    skip: String(read),
    ...(limit !== limits.documentsPage.default && { limit: String(limit) }),
  });
  return {
    // A job that failed midway has documents that a client should not throw away.
    success: job.status !== 'failed' || job.completed > 0,
    status: job.status,
    completed: job.completed,
    total: totalOf(job),
    creditsUsed: job.credits,
    createdAt: date(job.created_at),
    ...(job.ended_at !== null && { completedAt: date(job.ended_at) }),
    expiresAt: date(job.expires_at),
    duration: Math.max(0, Math.round(((job.ended_at ?? now) - job.created_at) / 1000)),
    // Published clients follow `next` at once: it is there only while it leads to something.
    ...(read < job.completed && { next: `${jobUrl}?${query}` }),
    data,
    ...(job.error !== null && { error: job.error }),
    ...(job.warning !== null && { warning: job.warning }),
  };
}

/** What is told of the pages that a job could not have. */
export function errorsOf(failures: FailedPage[], robotsBlocked: string[]): JobErrors {
  return {
    errors: failures.map(({ id, url, code, error, ended_at }) => ({
      id: String(id),
      timestamp: date(ended_at),
      url,
      code: code ?? 'UNKNOWN_ERROR',
      error: error ?? '',
    })),
    robotsBlocked,
  };
}

function date(at: number): string {
  return new Date(at).toISOString();
}
