import { availableParallelism } from 'node:os';
import type { UploadedFile } from '../../../contract/scrape/parse.ts';
import type { ScrapeAction, ScrapeDocument, ScrapeOptions } from '../../../contract/scrape/scrape.ts';
import type { BrowserProvider } from '../../browsers/chrome/chrome.ts';
import type { Isolation } from '../../browsers/isolation/isolation.ts';
import type { AddressPolicy } from '../../platform/network/address-policy/address-policy.ts';
import { openPageCache } from '../../platform/network/page-cache.ts';
import type { Platform } from '../../platform/platform.ts';
import { roomForSpares } from '../../platform/system/memory.ts';
import { createBodyBudget } from './body-budget.ts';
import type { KnownPage, PageSource } from './changes/known-page.ts';
import type { NewPageVersion, PageVersions } from './changes/page-versions.ts';
import { openConverters } from './convert/convert.ts';
import type { ChoiceForm } from './convert/notes/choice-forms.ts';
import type { Wording } from './convert/wording.ts';
import type { Extractor } from './model-formats/model-formats.ts';
import { type ChromeRendererOptions, createChromeRenderer } from './render/chrome-renderer.ts';
import type { RenderRequest } from './render/render.ts';
import { createTabPool } from './render/tab-pool.ts';
import { createScraper } from './scraper.ts';
import type { Templates } from './templates.ts';

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
  /** Whether to return what its content says. */
  wording?: boolean;
  /** Whether to return where the items of a list lead. */
  listed?: boolean;
  /** Whether to return the types of what it is about. */
  subjects?: boolean;
  /** Whether the crawl found no link to the page, and fetches it only because an earlier one did. */
  hidden?: boolean;
  /** The page as it was last time: if the site has nothing else, the scrape ends with `UnchangedPage`. */
  known?: KnownPage | undefined;
  /** Whether nothing of it may be stored, which costs `unstoredCredits` more. */
  unstored?: boolean | undefined;
  /** The page's job. Pages of one job and site can share browser state, as in one visit. */
  job?: string;
  /** What the page's job knows of pages alike. */
  templates?: Templates | undefined;
  /** Returns the page as it was read, or as `again` reads it: before a language model is asked. What is read again is rendered. */
  improve?<Page extends PageReading>(first: Page, again: () => Promise<Page>): Promise<Page>;
}

/** A page that was read, before it is made into a document. */
export type PageReading = Pick<ScrapedPage, 'finalUrl' | 'statusCode' | 'rendered' | 'failedParts'>;

/** What interact needs to restore the page to its state after the scrape. */
export interface ReplayContext
  extends Pick<RenderRequest, 'url' | 'waitFor' | 'mobile' | 'skipTlsVerification' | 'profile'> {
  actions: ScrapeAction[];
  headers: Record<string, string>;
  location: { country?: string | undefined; languages?: string[] | undefined } | undefined;
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
  /** A sentence that says that a proxy may have answered in place of the site. */
  doubt?: string | undefined;
  contentType: string | undefined;
  /** The site's Retry-After, if it sent one. */
  retryAfterMs?: number;
  creditsUsed: number;
  /** The version of the page to store together with its document, for the changeTracking format. */
  version?: NewPageVersion;
  /** What a later scrape can compare with; undefined if that says nothing about the page's content. `packed` is how it is stored already. */
  source?: (PageSource & { packed?: Uint8Array }) | undefined;
  /** What its content says, if requested. */
  wording?: Wording | undefined;
  /** Absolute http(s) links of the items of its content, if requested and that is a list. */
  listed?: string[];
  /** The types of what it is about, if requested: of schema.org, such as `Product`, and of Open Graph in lower case. */
  subjects?: string[];
  /** Links of its content, if its items were requested. */
  contentLinks?: readonly string[];
  /** Whether a browser had to render it. */
  rendered?: boolean;
  /** Set if scripts or data of the page failed for a reason that may pass, with the longest Retry-After of theirs. */
  failedParts?: { retryAfterMs: number | undefined };
  /** Sentences of its document's warning on what of the page was not read. */
  warnings?: readonly string[];
  /** Those of them that say that links may be missing. */
  hidesLinks?: readonly string[];
  /** The form whose choices are pages, if it has one. */
  choices?: ChoiceForm | undefined;
  /** The feeds that it declares, if it has some. */
  feeds?: string[] | undefined;
  /** Whether it is the login page to which the site redirected. */
  asksToLogIn?: boolean;
  /** Whether it is mainly a login, be it shown in place of a page or the login page itself. */
  isLogin?: boolean;
  replay: ReplayContext;
}

/** Scrapes pages. */
export type Scraper = ReturnType<typeof createScraper>;

export interface ScraperOptions extends Pick<Platform, 'clock' | 'log' | 'network'> {
  provider: BrowserProvider;
  dataDir: string;
  /** Parent folder of the browsers' folders, and the environment variable that marks their processes. */
  browsersDir: string;
  markerName: string;
  /** Keeps the browsers that render pages apart from the service. */
  isolation?: Isolation | undefined;
  extractor: Extractor;
  versions: PageVersions;
  openProfile?: ChromeRendererOptions['openProfile'];
}

/** Tabs that render concurrently: more than the processors can serve would only slow each other down. */
const maxTabs = Math.min(8, Math.max(4, availableParallelism()));
/** Browsers that render at a time, each for the pages of a team, where there is memory for as many. */
const maxBrowsers = 4;

/** Opens the scraper, which starts its browser and threads on demand. */
export function openScraper(options: ScraperOptions): Scraper {
  const { provider, dataDir, browsersDir, openProfile, clock, log } = options;
  const { policy, fetcher, egress } = options.network;
  const cache = openPageCache(dataDir, clock, log);
  const browsers = provider.local ? Math.min(maxBrowsers, 1 + roomForSpares()) : 1;
  const pool = createTabPool({ ...options, directory: browsersDir, egress, size: maxTabs, browsers });
  const scraper = createScraper({
    ...options,
    fetcher,
    renderer: createChromeRenderer({ pool, policy, egress, local: provider.local, openProfile }),
    converters: openConverters(),
    budget: createBodyBudget(),
    cache,
  });
  return {
    ...scraper,
    async close() {
      await scraper.close();
      await cache.close();
    },
  };
}
