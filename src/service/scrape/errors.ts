import { ServiceError } from '../errors.ts';

/** Codes of a scrape that failed, with the HTTP status that a single scrape answers. */
const statuses = {
  SCRAPE_TIMEOUT: 408,
  SCRAPE_DNS_RESOLUTION_ERROR: 200,
  SCRAPE_SSL_ERROR: 500,
  SCRAPE_SITE_ERROR: 500,
  SCRAPE_ACTION_ERROR: 500,
  SCRAPE_JSON_ERROR: 500,
  SCRAPE_UNSUPPORTED_FILE_ERROR: 500,
  SCRAPE_PROXY_SELECTION_ERROR: 400,
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

/** A page that could not be scraped. In a crawl or batch it is a page error; a single scrape answers its status. */
export class ScrapeError extends ServiceError {
  override readonly code: ScrapeErrorCode;

  constructor(code: ScrapeErrorCode, message: string, extra: { cause?: unknown } = {}) {
    super(statuses[code], message, { code, ...extra });
    this.name = 'ScrapeError';
    this.code = code;
  }
}
