import { join } from 'node:path';
import type { ScrapeOptions } from '../../../contract/scrape/scrape.ts';
import type { Handlers } from '../../platform/http/bind.ts';
import type { JobEvents } from '../../platform/job-events.ts';
import { noModelMessage } from '../../platform/language-model/language-model.ts';
import type { AddressPolicy } from '../../platform/network/address-policy/address-policy.ts';
import type { Fetcher } from '../../platform/network/fetch.ts';
import type { Platform } from '../../platform/platform.ts';
import { createIdleMemory } from '../../platform/system/idle-memory.ts';
import { createFeedback } from '../../platform/team/feedback.ts';
import { teamHandlers } from '../../platform/team/team.ts';
import type { PageVersions } from '../scrape/changes/page-versions.ts';
import type { Scraper } from '../scrape/scrape.ts';
import { targetCheck } from '../scrape/scrape-errors.ts';
import { planOf } from '../scrape/scrape-plan.ts';
import { crawlHandlers } from './handlers.ts';
import { createJobs } from './jobs.ts';
import { createLargeMaps } from './map/large-maps.ts';
import { type MappedSite, type MapRequest, mapSite } from './map/map.ts';
import { pageTable } from './pages/page-table.ts';
import { pageHandlers } from './pages/pages.ts';
import { createPageSearch } from './pages/search/page-search.ts';
import { createHostGates } from './run/host-gates/host-gates.ts';
import { createSharedGates } from './run/host-gates/shared-gates.ts';
import { createSlots } from './run/run-parts.ts';
import { createPathMatcher } from './scope/path-rules.ts';
import { blockedReason, createRobotsCache } from './site/robots-cache.ts';
import { createSweeps } from './site/sweeps.ts';
import { createJobWatches } from './watch.ts';

export interface CrawlsParts
  extends Pick<
    Platform,
    'database' | 'unreadable' | 'location' | 'models' | 'activity' | 'ledger' | 'shared' | 'clock' | 'log'
  > {
  dataDir: string;
  scraper: Scraper;
  versions: PageVersions;
  fetcher: Fetcher;
  policy: AddressPolicy;
  events: JobEvents;
}

/** Maximum number of pages that all jobs together fetch at the same time. */
const pagesAtATime = 50;

/** Opens the endpoints for crawls, batches, maps and teams, with the state behind them. */
export function openCrawls(parts: CrawlsParts) {
  const { database, dataDir, scraper, fetcher, policy, models, activity, ledger, clock, log } = parts;
  const matcher = createPathMatcher();
  const robots = createRobotsCache(fetcher, clock);
  const checkTarget = targetCheck(policy);
  /** Throws when the service can't scrape any page with these options. */
  const checkOptions = (options: ScrapeOptions, team: string): void => {
    planOf(options, models.find(team) ? { configured: true } : { configured: false, advice: noModelMessage });
  };
  const search = createPageSearch({ database: parts.location, index: join(dataDir, 'page-search.sqlite') }, clock);
  const gates = parts.shared ? createSharedGates(database, parts.shared, { clock, log }) : createHostGates(clock);
  const jobs = createJobs({
    ...parts,
    robots,
    gates,
    matcher,
    checkTarget,
    slots: createSlots(pagesAtATime, clock),
    onRemoved: () => search.sweep(),
    memory: createIdleMemory(clock),
  });
  const site = { scraper, fetcher, robots, largeMaps: createLargeMaps() };
  const sweeps = createSweeps({ ...site, clock });
  const watches = createJobWatches(jobs, clock);
  return {
    handlers: {
      ...crawlHandlers({ ...parts, ...site, jobs, matcher, sweeps, checkTarget, checkOptions }),
      ...pageHandlers({ jobs, pages: pageTable(database), search, clock }),
      ...teamHandlers({
        activity,
        ledger,
        feedback: createFeedback(database, activity, clock),
        counts: (caller) => jobs.counts(caller),
        maxPages: pagesAtATime,
      }),
    } satisfies Partial<Handlers>,
    watches,
    /** The stored crawls and batches. */
    jobs,
    /** Lists the URLs of a site. */
    mapSite: (request: MapRequest): Promise<MappedSite> => mapSite(request, site),
    /** Returns why a site's robots.txt forbids the service to read a page; undefined if it doesn't. */
    async robotsAgainst(url: URL, narrower: AddressPolicy, signal: AbortSignal): Promise<string | undefined> {
      const of = { origin: url.origin, skipTlsVerification: true, policy: narrower };
      const rules = await robots.of(of, signal);
      return rules.allows(url.pathname + url.search) ? undefined : blockedReason(rules);
    },
    checkOptions,
    async close(): Promise<void> {
      watches.close();
      sweeps.close();
      await jobs.close();
      if ('close' in gates) await gates.close();
      await Promise.all([matcher.close(), search.close()]);
    },
  };
}
