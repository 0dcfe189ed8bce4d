import type { Browsers } from '../browsers/browsers.ts';
import type { BrowserProvider } from '../browsers/chrome/chrome.ts';
import type { Profiles } from '../browsers/profiles/profiles.ts';
import { type HostOptions, openHost } from '../browsers/sessions/host.ts';
import { hostMarker } from '../browsers/sessions/host-folders.ts';
import type { Handlers } from '../platform/http/bind.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { Closing, Platform } from '../platform/platform.ts';
import { openCrawls } from './crawl/crawl.ts';
import { modelJudge } from './monitors/judge.ts';
import { openMonitors } from './monitors/monitors.ts';
import { pageVersions } from './scrape/changes/page-versions.ts';
import { scrapeHandlers, scrapeKeeper } from './scrape/handlers.ts';
import { modelExtractor } from './scrape/model-formats/model-formats.ts';
import type { OpenProfileBrowser } from './scrape/render/chrome-renderer.ts';
import { openScraper, type ScrapedPage, type Scraper } from './scrape/scrape.ts';
import { ScrapeError } from './scrape/scrape-errors.ts';
import { type StoredScrape, scrapeTable } from './scrape/scrape-table.ts';
import type { SearchEngine } from './search/engine.ts';
import { searchHandlers } from './search/handlers.ts';
import { createSearch } from './search/search.ts';
import { createWindowEngines } from './search/searxng.ts';

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
  const { database, unreadable, clock, log, network, models, events, ledger, metrics } = platform;
  const { hosts, profiles, isolation } = browsers;
  const { policy } = network;
  const versions = pageVersions(database, unreadable);
  const opened = openScraper({
    ...platform,
    provider: hosts.provider,
    isolation,
    dataDir: options.dataDir,
    browsersDir: hosts.directory,
    markerName: hostMarker,
    extractor: modelExtractor(models),
    versions,
    openProfile: profileBrowsers(hosts, profiles),
  });
  closing.running.defer(() => opened.close());
  const scraper = countPages(opened, metrics);
  const crawls = openCrawls({
    ...platform,
    dataDir: options.dataDir,
    scraper,
    versions,
    fetcher: network.fetcher,
    policy,
    events: platform.jobEvents,
  });
  closing.running.defer(() => crawls.close());
  platform.busy.jobs.push(crawls.jobs.busy);

  const scrapes = scrapeTable(database, unreadable, () => clock.now());
  const stopKeeping = new AbortController();
  closing.ground.defer(() => stopKeeping.abort());
  const keep = scrapeKeeper({ ...platform, scraper, scrapes, versions, closing: stopKeeping.signal });
  const windowEngines = createWindowEngines(log);
  events.on('searchEndpoint', ({ from, endpoint }) => windowEngines.heard(from, endpoint));
  events.on('linkGone', windowEngines.gone);
  const search = createSearch({ find: (team) => options.searchEngine ?? windowEngines.find(team) });
  const monitors = openMonitors({
    ...platform,
    scraper,
    scrapes,
    versions,
    search,
    crawls: crawls.jobs,
    judge: modelJudge(models, log),
    events: platform.jobEvents,
    checkOptions: crawls.checkOptions,
  });
  closing.running.defer(() => monitors.close());
  return {
    scraper,
    crawls,
    monitors,
    search,
    handlers: {
      ...scrapeHandlers({ scraper, keep, scrapes, ledger, findElsewhere: crawls.jobs.findScrape }),
      ...searchHandlers({ ...platform, search, keepScrape: keep, checkOptions: crawls.checkOptions, policy }),
      ...crawls.handlers,
      ...monitors.handlers,
    } satisfies Partial<Handlers>,
    /** Returns a scrape, or a page of a crawl or batch, by its ID. */
    findScrape: async (id: string): Promise<StoredScrape | undefined> =>
      (await scrapes.find(id)) ?? (await crawls.jobs.findScrape(id)),
  };
}

/** Counts the pages that are loaded, and how. */
function countPages(scraper: Scraper, metrics: Pick<Metrics, 'page'>): Scraper {
  const resultOf = ({ document, rendered }: ScrapedPage) => {
    if (document.metadata?.cachedAt !== undefined) return 'cached';
    return rendered ? 'rendered' : 'fetched';
  };
  return {
    ...scraper,
    async scrape(request) {
      try {
        const page = await scraper.scrape(request);
        if (!request.file) metrics.page(resultOf(page));
        return page;
      } catch (error) {
        if (!request.file && !request.signal.aborted) metrics.page('failed');
        throw error;
      }
    },
  };
}

/** Opens a browser with a profile for each scrape, as sessions do. Throws 409 while another browser is saving to the profile. */
function profileBrowsers(hosts: HostOptions, profiles: Pick<Profiles, 'open'>): OpenProfileBrowser {
  return async (team, profile, proxyServer) => {
    if (!hosts.provider.keepsProfiles) {
      throw new ScrapeError(
        'NO_BROWSER',
        'Profiles need a separate browser, but the --browser-endpoint of this service is one shared browser. Omit profile.',
      );
    }
    const provider = proxyServer === undefined ? hosts.provider : behindProxy(hosts.provider, proxyServer);
    // The renderer checks the requests.
    const host = { ...hosts, provider, guard: undefined };
    const { client, close } = await openHost(host, { profile: await profiles.open(team, profile) });
    return { client, close: () => close({ saveProfile: profile.saveChanges }) };
  };
}

function behindProxy(provider: BrowserProvider, proxyServer: string): BrowserProvider {
  return { ...provider, open: (request) => provider.open({ ...request, proxyServer }) };
}
