import type { Clock } from '../../../platform/clock.ts';
import type { JobEvents } from '../../../platform/job-events.ts';
import type { Log } from '../../../platform/log.ts';
import type { Fetcher } from '../../../platform/network/fetch.ts';
import type { Ledger } from '../../../platform/team/ledger.ts';
import { createHoldings, mayHave } from '../../../platform/turns.ts';
import type { PageVersions } from '../../scrape/changes/page-versions.ts';
import type { Scraper } from '../../scrape/scrape.ts';
import type { PathMatcher } from '../scope/path-rules.ts';
import type { RobotsCache } from '../site/robots-cache.ts';
import type { JobStore } from '../store/store.ts';
import type { HostGates } from './host-gates/host-gates.ts';

/** What the runs of all jobs share. */
export interface RunParts extends JobStore {
  scraper: Pick<Scraper, 'scrape'>;
  versions: Pick<PageVersions, 'store' | 'urls'>;
  fetcher: Pick<Fetcher, 'fetch'>;
  robots: RobotsCache;
  gates: HostGates;
  slots: Slots;
  matcher: PathMatcher;
  ledger: Ledger;
  events: JobEvents;
  clock: Clock;
  log: Log;
}

export type Slots = ReturnType<typeof createSlots>;

/** Slots in addition to all others, one for each team that has none. */
const shares = 10;
/** A team that found no slot has precedence for this long over teams that hold more; then it may no longer need one. */
const precedenceMs = 1000;

/** Limits how many pages all jobs together fetch at the same time, dealt to teams. */
export function createSlots(count: number, clock: Pick<Clock, 'monotonic'>) {
  const holdings = createHoldings();
  /** Teams that found no slot, and when. */
  const waiting = new Map<string, number>();

  function isNext(team: string): boolean {
    const since = clock.monotonic() - precedenceMs;
    for (const [other, at] of waiting) {
      if (at < since) waiting.delete(other);
      else if (other !== team && holdings.of(other) < holdings.of(team)) return false;
    }
    return true;
  }

  return {
    /** Takes a slot. Returns false if none is free for the team. */
    take(team: string): boolean {
      const free = mayHave(holdings, team, count, shares) && (holdings.total >= count || isNext(team));
      if (!free) {
        waiting.set(team, clock.monotonic());
        return false;
      }
      waiting.delete(team);
      holdings.change(team, 1);
      return true;
    },
    release: (team: string): void => holdings.change(team, -1),
  };
}
