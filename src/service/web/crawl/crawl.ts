import { join } from 'node:path';
import type { ScrapeOptions } from '../../../contract/scrape/scrape.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';
import type { SharedJobs } from '../../platform/fleet/jobs/shared-jobs.ts';
import type { Handlers } from '../../platform/http/bind.ts';
import type { JobEvents } from '../../platform/job-events.ts';
import { type LanguageModels, noModelMessage } from '../../platform/language-model/language-model.ts';
import type { Log } from '../../platform/log.ts';
import type { AddressPolicy } from '../../platform/network/address-policy/address-policy.ts';
import type { Fetcher } from '../../platform/network/fetch.ts';
import type { Database, DatabaseLocation, Unreadable } from '../../platform/storage/storage.ts';
import { createIdleMemory } from '../../platform/system/idle-memory.ts';
import type { Activity } from '../../platform/team/activity.ts';
import { createFeedback } from '../../platform/team/feedback.ts';
import type { Ledger } from '../../platform/team/ledger.ts';
import { teamHandlers } from '../../platform/team/team.ts';
import type { PageVersions } from '../scrape/changes/page-versions.ts';
import type { Scraper } from '../scrape/scrape.ts';
import { ScrapeError } from '../scrape/scrape-errors.ts';
import { planOf } from '../scrape/scrape-plan.ts';
import type { StoredScrape } from '../scrape/scrape-table.ts';
import { crawlHandlers } from './handlers.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { type MappedSite, type MapRequest, mapSite } from './map.ts';
import { pageTable } from './pages/page-table.ts';
import { pageHandlers } from './pages/pages.ts';
import { createPageSearch } from './pages/search/page-search.ts';
import { createHostGates } from './run/host-gates.ts';
import { createSlots } from './run/run-parts.ts';
import { createSharedGates } from './run/shared-gates.ts';
import { createPathMatcher } from './scope/path-rules.ts';
import { blockedReason, createRobotsCache } from './site/robots-cache.ts';
import { createSweeps } from './site/sweeps.ts';
import { createCommits } from './store/commits.ts';
import { documents } from './store/documents.ts';
import { earlierPages } from './store/earlier-pages.ts';
import { frontier } from './store/frontier.ts';
import { jobTable } from './store/job-table.ts';
import { leftOutPages } from './store/left-out.ts';
import { createJobWatches, type JobWatches } from './watch.ts';

/** The endpoints for crawls, batches, maps and teams, with the state behind them. */
export interface Crawls {
  readonly handlers: Partial<Handlers>;
  readonly watches: JobWatches;
  /** The stored crawls and batches. */
  readonly jobs: Jobs;
  /** Lists the URLs of a site. */
  mapSite(request: MapRequest): Promise<MappedSite>;
  /** Returns why a site's robots.txt forbids the service to read a page; undefined if it doesn't. */
  robotsAgainst(url: URL, policy: AddressPolicy, signal: AbortSignal): Promise<string | undefined>;
  /** Returns a page of a crawl or batch by its scrape id. */
  findScrape(id: string): Promise<StoredScrape | undefined>;
  /** Throws when the service can't scrape any page with these options. */
  checkOptions(options: ScrapeOptions, team: string): void;
  /** Whether a crawl or batch is running or waiting to run. */
  busy(): boolean;
  /** Resumes the jobs that were running when the service last stopped. */
  start(): void;
  /** Stops all jobs, which another node may resume. The handlers still answer. */
  giveUp(): Promise<void>;
  close(): Promise<void>;
}

export interface CrawlsParts {
  database: Database;
  unreadable: Unreadable;
  /** Where the database is, for threads that read it. */
  location: DatabaseLocation;
  dataDir: string;
  scraper: Scraper;
  versions: PageVersions;
  fetcher: Fetcher;
  policy: AddressPolicy;
  models: LanguageModels;
  activity: Activity;
  ledger: Ledger;
  events: JobEvents;
  shared?: SharedJobs | undefined;
  clock: Clock;
  log: Log;
}

/** The service's product token in robots.txt. */
export const robotsName = 'WebData';
/** Maximum number of pages that all jobs together fetch at the same time. */
const pagesAtATime = 50;

export function openCrawls(parts: CrawlsParts): Crawls {
  const {
    database,
    location,
    dataDir,
    scraper,
    versions,
    fetcher,
    policy,
    models,
    activity,
    ledger,
    events,
    clock,
    log,
  } = parts;
  const matcher = createPathMatcher();
  const robots = createRobotsCache(fetcher, clock);
  const checkTarget = (url: URL) => {
    try {
      policy.checkUrl(url);
    } catch (error) {
      throw new ScrapeError('SCRAPE_TARGET_REFUSED', messageOf(error), { cause: error });
    }
  };
  const checkOptions: Crawls['checkOptions'] = (options, team) => {
    planOf(options, models.find(team) ? { configured: true } : { configured: false, advice: noModelMessage });
  };
  const search = createPageSearch({ database: location, index: join(dataDir, 'page-search.sqlite') }, clock);
  const gates = parts.shared ? createSharedGates(database, parts.shared, { clock, log }) : createHostGates(clock);
  const stored = jobTable(database, parts.unreadable);
  const jobs = createJobs(database, {
    jobs: stored,
    frontier: frontier(database),
    leftOut: leftOutPages(database),
    documents: documents(database, parts.unreadable),
    earlier: earlierPages(database),
    commits: createCommits(database),
    scraper,
    versions,
    fetcher,
    robots,
    gates,
    slots: createSlots(pagesAtATime, clock),
    matcher,
    ledger,
    activity,
    events,
    shared: parts.shared,
    clock,
    log,
    userAgent: robotsName,
    checkTarget,
    onRemoved: () => search.sweep(),
    memory: createIdleMemory(clock),
  });
  const sweeps = createSweeps({ scraper, fetcher, robots, userAgent: robotsName, clock });
  const watches = createJobWatches(jobs, clock);
  return {
    handlers: {
      ...crawlHandlers({
        database,
        jobs,
        matcher,
        clock,
        scraper,
        fetcher,
        robots,
        userAgent: robotsName,
        sweeps,
        models,
        activity,
        ledger,
        checkTarget,
        checkOptions,
        log,
      }),
      ...pageHandlers({ jobs, jobTable: stored, pages: pageTable(database), search, clock }),
      ...teamHandlers({
        activity,
        ledger,
        feedback: createFeedback(database, activity, clock),
        counts: (caller) => jobs.counts(caller),
        maxPages: pagesAtATime,
      }),
    },
    watches,
    jobs,
    mapSite: (request) => mapSite(request, { scraper, fetcher, robots, userAgent: robotsName }),
    async robotsAgainst({ origin, pathname, search: query }, policy, signal) {
      const rules = await robots.of({ origin, skipTlsVerification: true, policy }, robotsName, signal);
      return rules.allows(pathname + query) ? undefined : blockedReason(rules);
    },
    findScrape: (id) => jobs.findScrape(id),
    checkOptions,
    busy: () => jobs.busy(),
    start: () => jobs.resume(),
    giveUp: () => jobs.giveUp(),
    async close() {
      watches.close();
      sweeps.close();
      await jobs.close();
      if ('close' in gates) await gates.close();
      await Promise.all([matcher.close(), search.close()]);
    },
  };
}
