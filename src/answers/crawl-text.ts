import type { JobState } from '../contract/crawl/crawl-jobs.ts';
import { leftOutReasons } from '../contract/crawl/left-out.ts';

/** Says how far a crawl is and, once it has ended, how many pages it left out and why. */
export function crawlText(id: string, { status, completed, total, readForLinks, leftOut }: JobState): string {
  const parts = [`Crawl ${id}: ${status}, ${completed ?? 0} of ${total ?? 0} pages`];
  if (readForLinks) parts.push(`${readForLinks} more read for their links`);
  // Nothing else that a server may send.
  const known = leftOutReasons.flatMap((reason) => leftOut?.find((pages) => pages.reason === reason) ?? []);
  const left = known.map(({ reason, count, atLeast }) => `${atLeast ? 'at least ' : ''}${count} (${reason})`);
  return `${parts.join(', ')}.${left.length > 0 ? ` Pages left out: ${left.join(', ')}.` : ''}`;
}
