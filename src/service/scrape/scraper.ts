import type { ScrapeAction, ScrapeDocument, ScrapeOptions } from '../../contract/scrape.ts';

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
