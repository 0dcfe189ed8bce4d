import type { Clock } from '../../clock.ts';
import type { Fetcher } from '../../fetch/fetch.ts';
import type { Log } from '../../log.ts';
import type { Scraper } from '../../scrape/scrape.ts';
import type { Ledger } from '../../team/ledger.ts';
import type { PathMatcher } from '../scope/path-rules.ts';
import type { RobotsCache } from '../site/robots-cache.ts';
import type { Commits } from '../store/commits.ts';
import type { Documents } from '../store/documents.ts';
import type { Frontier } from '../store/frontier.ts';
import type { JobTable } from '../store/job-table.ts';
import type { HostGates } from './host-gates.ts';
import type { JobEvents } from './job-events.ts';

/** What the runs of all jobs share. */
export interface RunParts {
  jobs: JobTable;
  frontier: Frontier;
  documents: Documents;
  commits: Commits;
  scraper: Pick<Scraper, 'scrape'>;
  fetcher: Pick<Fetcher, 'fetch'>;
  robots: RobotsCache;
  gates: HostGates;
  slots: Slots;
  matcher: PathMatcher;
  ledger: Ledger;
  events: JobEvents;
  clock: Clock;
  log: Log;
  /** The service's name in requests and for robots.txt. */
  userAgent: string;
}

/** Limits how many pages all jobs together fetch at the same time. */
export interface Slots {
  /** Takes a slot. Returns false if none is free. */
  take(): boolean;
  release(): void;
}

export function createSlots(count: number): Slots {
  let free = count;
  return {
    take() {
      if (free === 0) return false;
      free--;
      return true;
    },
    release() {
      free++;
    },
  };
}
