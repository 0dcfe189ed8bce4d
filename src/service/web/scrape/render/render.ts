import type { ScreenshotFormat } from '../../../../contract/scrape/formats.ts';
import type { ScrapeAction } from '../../../../contract/scrape/scrape.ts';
import type { ActionResults } from '../../../browsers/page/actions.ts';
import type { MoreButton } from '../../../browsers/page/next-rows.ts';
import type { AddressPolicy } from '../../../platform/network/address-policy/address-policy.ts';
import type { Lack } from '../lack.ts';
import type { FailedPart } from './failed-parts.ts';

/** A request to render one page. */
export interface RenderRequest {
  url: string;
  team: string;
  signal: AbortSignal;
  /** Time limit of the whole request. */
  timeoutMs: number;
  /** The time limit of the scrape, for the error. */
  limitMs: number;
  /** Milliseconds to wait after the page has loaded. */
  waitFor: number;
  actions: readonly ScrapeAction[];
  /** Sent only to the URL's origin. */
  headers: Readonly<Record<string, string>>;
  mobile: boolean;
  skipTlsVerification: boolean;
  languages: readonly string[];
  blockAds: boolean;
  screenshot: ScreenshotFormat | undefined;
  profile: { name: string; saveChanges: boolean } | undefined;
  /** Whether the links of its closed menus are wanted. */
  allLinks: boolean;
  /** The page's job, if any. */
  job: string | undefined;
  /** Checks the page's requests, in addition to the renderer's own policy. */
  policy: AddressPolicy | undefined;
  /** Waits until the page's HTML may take that much memory. */
  reserve(bytes: number, signal: AbortSignal): Promise<void> | undefined;
  /** Called with the milliseconds that the page waited because all tabs were in use. */
  onQueued?(ms: number): void;
}

/** A rendered page. */
export interface RenderedPage {
  /** The final URL. */
  url: string;
  status: number;
  contentType: string | undefined;
  /** Its Link header. */
  link?: string | undefined;
  /** The Retry-After header, unparsed. */
  retryAfter: string | undefined;
  /** Says that the page may not be from the site. */
  doubt?: string | undefined;
  html: string;
  encoding?: string | undefined;
  /** Where the links lead that it adds when its closed menus are opened, and the pages that it goes on with as it is scrolled. */
  menuLinks?: readonly string[];
  /** What the page has that isn't in its HTML, links among it. */
  lacks: Lack[];
  /** Sentences on what else it doesn't show, without links of the site: frames of others, and the rest of a screenshot. */
  besides: string[];
  /** Its scripts and data that failed for a reason that may pass; `lacks` says so, too. */
  failedParts: readonly FailedPart[];
  /** Whether it was still adding content as it was scrolled when the time for that was over. */
  isGrowing: boolean;
  /** URLs of other pages that it went on with as it was scrolled. */
  goesOn?: readonly string[];
  /** Whether a repeated click ended because it added nothing. */
  clickedInVain: boolean;
  /** Set if a list of the page goes on behind it. */
  nextButton?: MoreButton | undefined;
  screenshot: string | undefined;
  actions: ActionResults | undefined;
}

/** The URL points to a file that has to be fetched instead. */
export class NotAPage extends Error {}
