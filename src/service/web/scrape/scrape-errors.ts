import { BrowserGone } from '../../browsers/chrome/cdp-client.ts';
import { PageError } from '../../browsers/page/page.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import { ModelError } from '../../platform/language-model/language-model.ts';
import type { AddressPolicy } from '../../platform/network/address-policy/address-policy.ts';
import { FetchError, type FetchFailure } from '../../platform/network/fetch.ts';
import { ConversionError } from './convert/convert.ts';

/** Error codes of scrapes, with the HTTP status that POST /v2/scrape responds with. */
const statuses = {
  SCRAPE_TIMEOUT: 408,
  SCRAPE_DNS_RESOLUTION_ERROR: 200,
  SCRAPE_SSL_ERROR: 500,
  SCRAPE_SITE_ERROR: 500,
  SCRAPE_ACTION_ERROR: 500,
  SCRAPE_JSON_ERROR: 500,
  SCRAPE_MODEL_ERROR: 500,
  SCRAPE_UNSUPPORTED_FILE_ERROR: 500,
  SCRAPE_NO_CACHED_DATA: 404,
  SCRAPE_LOCKDOWN_CACHE_MISS: 404,
  SCRAPE_JOB_CANCELLED: 499,
  SCRAPE_TARGET_REFUSED: 403,
  BAD_REQUEST: 400,
  FORMAT_NOT_OFFERED: 400,
  PROFILE_IN_USE: 409,
  NO_LANGUAGE_MODEL: 503,
  NO_BROWSER: 503,
} as const;
export type ScrapeErrorCode = keyof typeof statuses;

/** A scrape failed. In a crawl or batch it becomes a page error; POST /v2/scrape responds with its status. */
export class ScrapeError extends ServiceError {
  override readonly code: ScrapeErrorCode;

  constructor(code: ScrapeErrorCode, message: string, extra: { cause?: unknown } = {}) {
    super(statuses[code], message, { code, ...extra });
    this.name = 'ScrapeError';
    this.code = code;
  }
}

/** Returns a function that throws when the service may not connect to a URL. */
export function targetCheck(policy: AddressPolicy): (url: URL) => void {
  return (url) => {
    try {
      policy.checkUrl(url);
    } catch (error) {
      throw new ScrapeError('SCRAPE_TARGET_REFUSED', messageOf(error), { cause: error });
    }
  };
}

const codes: Record<FetchFailure, ScrapeErrorCode> = {
  refused: 'SCRAPE_TARGET_REFUSED',
  dns: 'SCRAPE_DNS_RESOLUTION_ERROR',
  tls: 'SCRAPE_SSL_ERROR',
  timeout: 'SCRAPE_TIMEOUT',
  aborted: 'SCRAPE_JOB_CANCELLED',
  'too large': 'SCRAPE_SITE_ERROR',
  'too many redirects': 'SCRAPE_SITE_ERROR',
  encoding: 'SCRAPE_SITE_ERROR',
  unreachable: 'SCRAPE_SITE_ERROR',
  connection: 'SCRAPE_SITE_ERROR',
};

/** Converts any error of a scrape to a ScrapeError. */
export function toScrapeError(error: unknown, signal?: AbortSignal): ScrapeError {
  if (signal?.aborted) return new ScrapeError('SCRAPE_JOB_CANCELLED', 'The scrape was canceled.', { cause: error });
  if (error instanceof ScrapeError) return error;
  const cause = { cause: error };
  if (error instanceof FetchError) return new ScrapeError(codes[error.reason], error.message, cause);
  if (error instanceof ConversionError) {
    if (error.kind === 'selector') return new ScrapeError('BAD_REQUEST', `${error.message}.`, cause);
    if (error.kind === 'file') return new ScrapeError('SCRAPE_UNSUPPORTED_FILE_ERROR', error.message, cause);
    return new ScrapeError(error.kind === 'timeout' ? 'SCRAPE_TIMEOUT' : 'SCRAPE_SITE_ERROR', error.message, cause);
  }
  if (error instanceof PageError)
    return new ScrapeError(error.invalidRequest ? 'BAD_REQUEST' : 'SCRAPE_ACTION_ERROR', error.message, cause);
  if (error instanceof BrowserGone)
    return new ScrapeError('SCRAPE_SITE_ERROR', 'The browser stopped during the scrape. Try again.', cause);
  if (error instanceof ModelError) return new ScrapeError('SCRAPE_JSON_ERROR', error.message, cause);
  if (error instanceof ServiceError && (error.status === 503 || error.code === 'BROWSER_START')) {
    return new ScrapeError('NO_BROWSER', error.message, cause);
  }
  if (error instanceof ServiceError && error.status === 409) {
    return new ScrapeError('PROFILE_IN_USE', error.message, cause);
  }
  return new ScrapeError('SCRAPE_SITE_ERROR', messageOf(error), cause);
}

/** Returns the delay of a Retry-After header in milliseconds, where `now` is the wall-clock time; undefined if it's missing or invalid. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  // Checked first, because Date.parse accepts a bare number as a date.
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header) * 1000;
  if (!/[A-Za-z]/.test(header)) return undefined;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
