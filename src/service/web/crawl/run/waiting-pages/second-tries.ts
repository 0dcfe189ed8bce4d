import type { WaitingPage } from '../../store/frontier.ts';
import type { Outcome } from '../outcome.ts';
import type { OriginQueue } from './origin-queues.ts';

/** Pages of a run that are fetched once more. */
const maxTriedAgain = 50;

export type SecondTries = ReturnType<typeof createSecondTries>;

/** The pages of a run that failed for a reason that may pass: they are fetched once more after all others. */
export function createSecondTries() {
  const later: { page: WaitingPage; queue: OriginQueue }[] = [];
  const tried = new Set<number>();
  const owed = new Set<number>();
  return {
    /** Whether pages wait to be fetched once more. */
    get areLeft() {
      return later.length > 0;
    },
    /** How many pages of the limit are kept for pages that wait, or were put back into their queues. */
    get owed() {
      return owed.size;
    },
    isOwed: (page: number): boolean => owed.has(page),
    /** Notes that a page is fetched or settled: it keeps no place in the limit any more. Returns whether it did. */
    free: (page: number): boolean => owed.delete(page),
    /** Keeps a place in the limit for a page that waits again because its host refused the request, or that has the place of its copies. */
    owe: (page: number): void => void owed.add(page),
    /** Lets a page wait for its second try. Returns false if its outcome counts instead. */
    putOff(page: WaitingPage, queue: OriginQueue, outcome: Outcome): boolean {
      if (outcome.kind !== 'failed' || !mayPass(outcome.code)) return false;
      if (tried.size >= maxTriedAgain || tried.has(page.id)) return false;
      tried.add(page.id);
      later.push({ page, queue });
      if (page.for_links === 0) owed.add(page.id);
      return true;
    },
    /** Puts all that wait back into their queues. */
    begin(): void {
      for (const { page, queue } of later.splice(0)) queue.putBack(page);
    },
  };
}

/** Whether a page with this error code failed for a reason that may pass: the site returned an error, or the connection broke. */
export function mayPass(code: string): boolean {
  return /^HTTP_50[0234]$|^SCRAPE_SITE_ERROR$/.test(code);
}
