import type { ScrapeAction, ScreenshotFormat } from '../../../contract/scrape.ts';
import type { ActionResults } from '../../page/actions.ts';

/** One page to be loaded in the scraping browser. */
export interface RenderRequest {
  url: string;
  team: string;
  signal: AbortSignal;
  /** Wall-clock limit of it all. */
  timeoutMs: number;
  /** Milliseconds to wait once the page has loaded. */
  waitFor: number;
  actions: readonly ScrapeAction[];
  /** Sent to the origin of the URL alone. */
  headers: Readonly<Record<string, string>>;
  mobile: boolean;
  skipTlsVerification: boolean;
  languages: readonly string[];
  blockAds: boolean;
  screenshot: ScreenshotFormat | undefined;
  profile: { name: string; saveChanges: boolean } | undefined;
  /** The job that the page is one of, if it is of any. */
  job: string | undefined;
}

/** A page as the browser shows it. */
export interface RenderedPage {
  /** Where it ended up. */
  url: string;
  status: number;
  contentType: string | undefined;
  /** Retry-After, as it was sent. */
  retryAfter: string | undefined;
  html: string;
  screenshot: string | undefined;
  actions: ActionResults | undefined;
}

/** Loads pages in a browser. */
export interface Renderer {
  /** Throws a ScrapeError; `NotAPage` where the URL is a file that a browser does not show. */
  render(request: RenderRequest): Promise<RenderedPage>;
  close(): Promise<void>;
}

/** The URL leads to a file, which is to be fetched instead. */
export class NotAPage extends Error {}
