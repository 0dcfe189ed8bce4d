import { shorten } from '../../../../contract/shorten.ts';
import type { LinkFilter } from '../scope/link-filter.ts';
import { blockedCrawl, type SiteRobots } from '../site/robots-cache.ts';
import type { Frontier } from '../store/frontier.ts';
import type { Job } from '../store/job-table.ts';

/** How a run ended. */
export type RunEnd =
  | { status: 'completed' }
  | { status: 'failed'; error: string }
  /** The run has to continue from what is stored, which may differ from what it knows. */
  | { status: 'outdated' };

/**
 * Returns how a job with nothing left to do ended.
 * @param filter which links it followed; undefined for a batch
 * @param robots the rules of the first site whose rules are known
 */
export async function endOf(
  job: Job,
  frontier: Pick<Frontier, 'firstFailure'>,
  filter: LinkFilter | undefined,
  robots: SiteRobots | undefined,
): Promise<RunEnd> {
  if (!filter || job.completed > 0) return { status: 'completed' };
  const failed = await frontier.firstFailure(job.num);
  if (failed) {
    const { url, error } = failed;
    const isStart = filter.identityOf(new URL(url)) === filter.identityOf(new URL(job.url));
    const reason = error ?? 'The page failed.';
    return {
      status: 'failed',
      error: isStart
        ? reason.replace(/^The page /, 'The start page ')
        : `No page could be crawled. ${shorten(url)}: ${reason}`,
    };
  }
  if (job.blocked > 0 && job.passed_over === 0) return { status: 'failed', error: blockedCrawl(robots) };
  return { status: 'completed' };
}
