import type { Browsers } from '../browsers/browsers.ts';
import { hostMarker } from '../browsers/sessions/host-folders.ts';
import type { Handlers } from '../platform/http/bind.ts';
import type { Closing, Platform } from '../platform/platform.ts';
import { openCrawls } from './crawl/crawl.ts';
import { modelJudge } from './monitors/judge.ts';
import { openMonitors } from './monitors/monitors.ts';
import { pageVersions } from './scrape/changes/page-versions.ts';
import { countPages } from './scrape/counted.ts';
import { scrapeHandlers, scrapeKeeper } from './scrape/handlers.ts';
import { modelExtractor } from './scrape/model-formats/model-formats.ts';
import { profileBrowsers } from './scrape/profile-browsers.ts';
import { openScraper } from './scrape/scrape.ts';
import { type StoredScrape, scrapeTable } from './scrape/scrape-table.ts';
import type { SearchEngine } from './search/engine.ts';
import { searchHandlers } from './search/handlers.ts';
import { createSearch } from './search/search.ts';
import { createWindowEngines } from './search/window-engines.ts';

/** The settings of scrapes, crawls and searches. */
export interface WebOptions {
  dataDir: string;
  /** The search engine, if one is configured. */
  searchEngine: SearchEngine | undefined;
}

/** What the wing above uses. */
export type Web = ReturnType<typeof openWeb>;

/** Opens the wing that reads the web. */
export function openWeb(platform: Platform, browsers: Browsers, options: WebOptions, closing: Closing) {
  const { database, unreadable, clock, log, network, models, events, activity, ledger, metrics } = platform;
  const { hosts, profiles, isolation } = browsers;
  const { policy } = network;
  const versions = pageVersions(database, unreadable);
  const opened = openScraper({
    network,
    provider: hosts.provider,
    isolation,
    dataDir: options.dataDir,
    browsersDir: hosts.directory,
    markerName: hostMarker,
    extractor: modelExtractor(models),
    versions,
    openProfile: profileBrowsers(hosts, profiles),
    clock,
    log,
  });
  closing.running.defer(() => opened.close());
  const scraper = countPages(opened, metrics);
  const crawls = openCrawls({
    database,
    unreadable,
    location: platform.location,
    dataDir: options.dataDir,
    scraper,
    versions,
    fetcher: network.fetcher,
    policy,
    models,
    activity,
    ledger,
    events: platform.jobEvents,
    shared: platform.shared,
    clock,
    log,
  });
  closing.running.defer(() => crawls.close());
  platform.busy.jobs.push(crawls.busy);

  const scrapes = scrapeTable(database, unreadable, () => clock.now());
  const stopKeeping = new AbortController();
  closing.ground.defer(() => stopKeeping.abort());
  const keep = scrapeKeeper({
    scraper,
    scrapes,
    versions,
    database,
    activity,
    ledger,
    clock,
    log,
    closing: stopKeeping.signal,
  });
  const windowEngines = createWindowEngines(log);
  events.on('searchEndpoint', ({ from, endpoint }) => windowEngines.heard(from, endpoint));
  events.on('linkGone', windowEngines.gone);
  const search = createSearch({ find: (team) => options.searchEngine ?? windowEngines.find(team) });
  const monitors = openMonitors({
    ...{ database, scraper, scrapes, versions, ledger, search, clock, log },
    crawls: crawls.jobs,
    judge: modelJudge(models, log),
    events: platform.jobEvents,
    checkOptions: crawls.checkOptions,
    shared: platform.shared,
  });
  closing.running.defer(() => monitors.close());
  return {
    scraper,
    crawls,
    monitors,
    search,
    handlers: {
      ...scrapeHandlers({ scraper, keep, scrapes, ledger, findElsewhere: crawls.findScrape }),
      ...searchHandlers({
        search,
        keepScrape: keep,
        checkOptions: crawls.checkOptions,
        policy,
        database,
        activity,
        ledger,
      }),
      ...crawls.handlers,
      ...monitors.handlers,
    } satisfies Partial<Handlers>,
    /** Returns a scrape, or a page of a crawl or batch, by its ID. */
    findScrape: async (id: string): Promise<StoredScrape | undefined> =>
      (await scrapes.find(id)) ?? (await crawls.findScrape(id)),
  };
}
