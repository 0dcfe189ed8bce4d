import { skipsTlsVerification } from '../../scrape/scrape-plan.ts';
import { blockedReason, type RobotsCache, type SiteRobots } from '../site/robots-cache.ts';
import type { Job } from '../store/job-table.ts';

/** Seconds that robots.txt can ask to wait between requests at most. */
const longestCrawlDelay = 30;

export type JobRobots = ReturnType<typeof createJobRobots>;

/**
 * The robots.txt of the sites of a job: what the job heeds of it is read once for each origin.
 * @param onRead called when the rules of an origin are known
 */
export function createJobRobots(job: Job, robots: RobotsCache, signal: AbortSignal, onRead: () => void) {
  const heeds = job.kind === 'crawl' && job.options.ignoreRobotsTxt !== true;
  const known = new Map<string, SiteRobots | 'loading'>();
  const skipTlsVerification = skipsTlsVerification(job.scrapeOptions);

  /** Returns the rules of an origin, whether the job heeds them or not. */
  const read = (origin: string): Promise<SiteRobots> =>
    robots.of({ origin, skipTlsVerification }, signal, job.options.robotsUserAgent);

  async function load(origin: string): Promise<void> {
    known.set(origin, 'loading');
    try {
      known.set(origin, await read(origin));
    } catch {
      // Aborted: the job is over.
      return;
    }
    onRead();
  }

  /** Returns the rules of an origin that the job heeds, as far as they are known. */
  function of(origin: string): SiteRobots | undefined {
    const rules = known.get(origin);
    return rules === 'loading' ? undefined : rules;
  }

  /** Returns the rules that disallow a page, as far as they are known. */
  function against({ url, origin }: { url: string; origin: string }): SiteRobots | undefined {
    const rules = of(origin);
    if (!rules) return undefined;
    const { pathname, search } = new URL(url);
    return rules.allows(pathname + search) ? undefined : rules;
  }

  return {
    read,
    of,
    /** Returns the rules of the first origin whose rules are known. */
    first: (): SiteRobots | undefined => [...known.keys()].map(of).find((rules) => rules !== undefined),
    /** Whether the rules of an origin are still to be read before its pages are: then they are. */
    areOpen(origin: string): boolean {
      if (heeds && !known.has(origin)) void load(origin);
      return known.get(origin) === 'loading';
    },
    against,
    /** Returns why robots.txt blocks a page; undefined if it doesn't, or isn't known yet. */
    blockedBy(page: { url: string; origin: string }): string | undefined {
      const rules = against(page);
      return rules && rules.down === undefined ? blockedReason(rules) : undefined;
    },
  };
}

/** Milliseconds between requests that a site asks for, as far as it is heeded. */
export function crawlDelayMs(rules: SiteRobots | undefined): number {
  return Math.min(rules?.crawlDelay ?? 0, longestCrawlDelay) * 1000;
}
