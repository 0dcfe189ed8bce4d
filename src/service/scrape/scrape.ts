import { availableParallelism } from 'node:os';
import packageJson from '../../../package.json' with { type: 'json' };
import type { ScrapeAction, ScrapeDocument, ScrapeOptions } from '../../contract/scrape.ts';
import type { BrowserProvider } from '../chrome/chrome.ts';
import type { Clock } from '../clock.ts';
import { type AddressPolicy, createAddressPolicy, type Resolve } from '../fetch/address-policy.ts';
import { createDialer } from '../fetch/dial.ts';
import { type EgressProxy, startEgressProxy } from '../fetch/egress-proxy.ts';
import type { Fetcher } from '../fetch/fetch.ts';
import { createHttpFetcher } from '../fetch/http-fetcher.ts';
import { openPageCache } from '../fetch/page-cache.ts';
import type { Log } from '../log.ts';
import { createConverters } from './convert/convert.ts';
import { type ChromeRendererOptions, createChromeRenderer } from './render/chrome-renderer.ts';
import { createTabPool } from './render/tab-pool.ts';
import { createScraper } from './scraper.ts';
import type { Extractor } from './scraper-parts.ts';

/** What one scrape is asked to do. */
export interface ScrapeRequest {
  /** http or https. */
  url: string;
  options: ScrapeOptions;
  /** Pages are cached, and profiles kept, by team. */
  team: string;
  /** Gives the scrape up. */
  signal: AbortSignal;
  /** The job that the page is one of: its pages of one site may see what the ones before left in the browser, as a visitor's do. */
  job?: string;
}

/** What interact needs to bring a page back to the state that the scrape left it in. */
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

/** A page as it was scraped. Any HTTP status is a page: whoever asked decides what a 404 means. */
export interface ScrapedPage {
  /** What the API answers; its metadata lacks only `scrapeId`, which a job adds. */
  document: ScrapeDocument & { metadata: NonNullable<ScrapeDocument['metadata']> };
  /** Absolute http(s) links of the whole page, in order, without fragments or repeats. */
  links: string[];
  /** Where the page was found, after redirects. */
  finalUrl: string;
  statusCode: number;
  contentType: string | undefined;
  /** What the site's Retry-After asks for, where it sent one. */
  retryAfterMs?: number;
  creditsUsed: number;
  replay: ReplayContext;
}

/** Scrapes pages. */
export interface Scraper {
  /** Throws a ScrapeError for whatever is wrong with the page, its site or the wish. */
  scrape(request: ScrapeRequest): Promise<ScrapedPage>;
  /** Ends the scraping browser and the converters. */
  close(): Promise<void>;
}

/** What scrapes and fetches of this service call themselves. */
export const userAgent = `Mozilla/5.0 (compatible; WebData/${packageJson.version})`;

/** Everything that fetches and scrapes, under one address policy. */
export interface WebAccess {
  readonly scraper: Scraper;
  readonly fetcher: Fetcher;
  readonly policy: AddressPolicy;
  close(): Promise<void>;
}

export interface WebAccessOptions {
  provider: BrowserProvider;
  dataDir: string;
  /** Folder that browsers' folders are made in, and the variable that marks their processes. */
  browsersDir: string;
  markerName: string;
  /** Ports that the service itself listens on. */
  ownPorts(): readonly number[];
  denyPrivate: boolean;
  /** URL of an HTTP proxy for all that leaves this machine. */
  proxy: string | undefined;
  extractor: Extractor;
  openProfile?: ChromeRendererOptions['openProfile'];
  clock: Clock;
  log: Log;
  /** In the place of the system's look-up of names. */
  resolve?: Resolve | undefined;
}

/** Tabs that render at a time: more than there are processors only wait for each other. */
const tabs = Math.min(8, Math.max(4, availableParallelism()));

export function openWebAccess(options: WebAccessOptions): WebAccess {
  const { clock, log, proxy } = options;
  let egress: Promise<EgressProxy> | undefined;
  let egressPort: number | undefined;
  const policy = createAddressPolicy({
    denyPrivate: options.denyPrivate,
    ownPorts: () => (egressPort === undefined ? options.ownPorts() : [...options.ownPorts(), egressPort]),
    ...(options.resolve && { resolve: options.resolve }),
  });
  const startEgress = async () => {
    const started = await startEgressProxy(policy, createDialer(policy, proxy));
    egressPort = started.port;
    return started;
  };
  const wayOut = () => {
    egress ??= startEgress();
    return egress;
  };
  const fetcher = createHttpFetcher({ policy, proxy, userAgent });
  const cache = openPageCache(options.dataDir, clock, log);
  const pool = createTabPool({
    provider: options.provider,
    directory: options.browsersDir,
    markerName: options.markerName,
    egress: wayOut,
    size: tabs,
    clock,
    log,
  });
  const scraper = createScraper({
    fetcher,
    renderer: createChromeRenderer({
      pool,
      policy,
      egress: wayOut,
      local: options.provider.local,
      openProfile: options.openProfile,
    }),
    converters: createConverters(),
    cache,
    extractor: options.extractor,
    clock,
    log,
  });
  return {
    scraper,
    fetcher,
    policy,
    async close() {
      await Promise.all([scraper.close(), fetcher.close()]);
      await (await egress)?.close();
      cache.close();
    },
  };
}
