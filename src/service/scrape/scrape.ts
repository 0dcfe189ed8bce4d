import { availableParallelism } from 'node:os';
import packageJson from '../../../package.json' with { type: 'json' };
import type { UploadedFile } from '../../contract/scrape/parse.ts';
import type { ScrapeAction, ScrapeDocument, ScrapeOptions } from '../../contract/scrape/scrape.ts';
import type { BrowserProvider } from '../chrome/chrome.ts';
import type { Clock } from '../clock.ts';
import { type AddressPolicy, createAddressPolicy, type Resolve } from '../fetch/address-policy/address-policy.ts';
import { createDialer } from '../fetch/dial.ts';
import { type EgressProxy, startEgressProxy } from '../fetch/egress-proxy.ts';
import type { Fetcher } from '../fetch/fetch.ts';
import { createHttpFetcher } from '../fetch/http-fetcher.ts';
import { openPageCache } from '../fetch/page-cache.ts';
import type { Isolation } from '../isolation/isolation.ts';
import type { Log } from '../log.ts';
import { createBodyBudget } from './body-budget.ts';
import type { NewPageVersion, PageVersions } from './changes/page-versions.ts';
import { createConverters } from './convert/convert.ts';
import { type ChromeRendererOptions, createChromeRenderer } from './render/chrome-renderer.ts';
import { createTabPool } from './render/tab-pool.ts';
import { createScraper } from './scraper.ts';
import type { Extractor } from './scraper-parts.ts';

/** A request to scrape one page. */
export interface ScrapeRequest {
  /** http or https URL, or the name of the file. */
  url: string;
  options: ScrapeOptions;
  /** The cache and profiles are separate for each team. */
  team: string;
  /** Cancels the scrape. */
  signal: AbortSignal;
  /** An uploaded file to read instead of the URL, which is then its name. */
  file?: UploadedFile;
  /** Maximum number of bytes of the page; 10 MiB by default. */
  maxBytes?: number;
  /** Checks every request that is made for the page, in addition to the service's own policy. */
  policy?: AddressPolicy | undefined;
  /** Called with true when the site is about to be asked, and with false once it has answered. */
  onAsking?(asking: boolean): void;
  /** Whether to return the links of the whole page. */
  allLinks?: boolean;
  /** Whether the crawl found no link to the page, and fetches it only because an earlier one did. */
  hidden?: boolean;
  /** The page's job. Pages of one job and site can share browser state, as in one visit. */
  job?: string;
}

/** What interact needs to restore the page to its state after the scrape. */
export interface ReplayContext {
  url: string;
  waitFor: number;
  actions: ScrapeAction[];
  headers: Record<string, string>;
  mobile: boolean;
  skipTlsVerification: boolean;
  location: { country?: string | undefined; languages?: string[] | undefined } | undefined;
  profile: { name: string; saveChanges: boolean } | undefined;
}

/** A scraped page, of any HTTP status: callers decide what a 404 means. */
export interface ScrapedPage {
  /** The API's document; its metadata lacks only `scrapeId`, which the caller adds. */
  document: ScrapeDocument & { metadata: NonNullable<ScrapeDocument['metadata']> };
  /** Absolute http(s) links of the whole page, in order, without fragments or duplicates; empty if not requested. */
  links: string[];
  /** The page's URL after redirects. */
  finalUrl: string;
  statusCode: number;
  contentType: string | undefined;
  /** The site's Retry-After, if it sent one. */
  retryAfterMs?: number;
  creditsUsed: number;
  /** The version of the page to store together with its document, for the changeTracking format. */
  version?: NewPageVersion;
  /** Whether a browser had to render it. */
  rendered?: boolean;
  replay: ReplayContext;
}

/** Scrapes pages. */
export interface Scraper {
  /** Throws a ScrapeError if the page, its site or the options prevent the scrape. */
  scrape(request: ScrapeRequest): Promise<ScrapedPage>;
  /** Closes the scraping browser and stops the converters. */
  close(): Promise<void>;
}

/** The User-Agent of the service's fetches. */
export const userAgent = `Mozilla/5.0 (compatible; WebData/${packageJson.version})`;

/** The service's scraper and fetcher, with their shared address policy. */
export interface WebAccess {
  readonly scraper: Scraper;
  readonly fetcher: Fetcher;
  readonly policy: AddressPolicy;
  /** The proxy that checks all requests of a local browser. */
  egress(): Promise<EgressProxy>;
  close(): Promise<void>;
}

export interface WebAccessOptions {
  provider: BrowserProvider;
  dataDir: string;
  /** Parent folder of the browsers' folders, and the environment variable that marks their processes. */
  browsersDir: string;
  markerName: string;
  /** Keeps the scraping browser apart from the service. */
  isolation?: Isolation | undefined;
  /** Ports that the service listens on. */
  ownPorts(): readonly number[];
  denyPrivate: boolean;
  /** URL of an HTTP proxy for all requests that leave this machine. */
  proxy: string | undefined;
  extractor: Extractor;
  versions: PageVersions;
  openProfile?: ChromeRendererOptions['openProfile'];
  clock: Clock;
  log: Log;
  /** Resolves host names instead of the operating system. */
  resolve?: Resolve | undefined;
}

/** Tabs that render concurrently: more than the processors can serve would only slow each other down. */
const maxTabs = Math.min(8, Math.max(4, availableParallelism()));

/** Opens the scraper and fetcher, which start their browser and threads on demand. */
export function openWebAccess(options: WebAccessOptions): WebAccess {
  const { clock, log, proxy } = options;
  let egress: Promise<EgressProxy> | undefined;
  let egressPorts: () => number[] = () => [];
  const policy = createAddressPolicy({
    denyPrivate: options.denyPrivate,
    ownPorts: () => [...options.ownPorts(), ...egressPorts()],
    ...(options.resolve && { resolve: options.resolve }),
  });
  const startEgress = async () => {
    const started = await startEgressProxy(policy, createDialer(policy, proxy));
    egressPorts = started.ports;
    return started;
  };
  const egressProxy = () => {
    egress ??= startEgress();
    return egress;
  };
  const fetcher = createHttpFetcher({ policy, proxy, userAgent });
  const cache = openPageCache(options.dataDir, clock, log);
  const pool = createTabPool({
    provider: options.provider,
    directory: options.browsersDir,
    markerName: options.markerName,
    egress: egressProxy,
    isolation: options.isolation,
    size: maxTabs,
    clock,
    log,
  });
  const scraper = createScraper({
    fetcher,
    renderer: createChromeRenderer({
      pool,
      policy,
      egress: egressProxy,
      local: options.provider.local,
      openProfile: options.openProfile,
    }),
    converters: createConverters(),
    budget: createBodyBudget(),
    cache,
    extractor: options.extractor,
    versions: options.versions,
    clock,
    log,
  });
  return {
    scraper,
    fetcher,
    policy,
    egress: egressProxy,
    async close() {
      await Promise.all([scraper.close(), fetcher.close()]);
      await (await egress)?.close();
      await cache.close();
    },
  };
}
