import { messageOf, ServiceError } from '../errors.ts';
import { FetchError, type FetchFailure } from '../fetch/fetcher.ts';
import { ModelError } from '../language-model/language-model.ts';
import { ConversionError } from './convert/converters.ts';
import { ScrapeError, type ScrapeErrorCode } from './errors.ts';

const codes: Record<FetchFailure, ScrapeErrorCode> = {
  refused: 'SCRAPE_TARGET_REFUSED',
  dns: 'SCRAPE_DNS_RESOLUTION_ERROR',
  tls: 'SCRAPE_SSL_ERROR',
  timeout: 'SCRAPE_TIMEOUT',
  aborted: 'SCRAPE_JOB_CANCELLED',
  'too large': 'SCRAPE_SITE_ERROR',
  'too many redirects': 'SCRAPE_SITE_ERROR',
  encoding: 'SCRAPE_SITE_ERROR',
  connection: 'SCRAPE_SITE_ERROR',
};

/** Whatever went wrong with a scrape, as the one kind of error that scrapes throw. */
export function asScrapeError(error: unknown, signal: AbortSignal): ScrapeError {
  if (signal.aborted) return new ScrapeError('SCRAPE_JOB_CANCELLED', 'The scrape was given up.', { cause: error });
  if (error instanceof ScrapeError) return error;
  const cause = { cause: error };
  if (error instanceof FetchError) return new ScrapeError(codes[error.reason], error.message, cause);
  if (error instanceof ConversionError) {
    if (error.kind === 'selector') return new ScrapeError('BAD_REQUEST', `${error.message}.`, cause);
    return new ScrapeError(error.kind === 'timeout' ? 'SCRAPE_TIMEOUT' : 'SCRAPE_SITE_ERROR', error.message, cause);
  }
  if (error instanceof ModelError) return new ScrapeError('SCRAPE_JSON_ERROR', error.message, cause);
  if (error instanceof ServiceError && (error.status === 503 || error.code === 'BROWSER_START')) {
    return new ScrapeError('NO_BROWSER', error.message, cause);
  }
  if (error instanceof ServiceError && error.status === 409) {
    return new ScrapeError('PROFILE_IN_USE', error.message, cause);
  }
  return new ScrapeError('SCRAPE_SITE_ERROR', messageOf(error), cause);
}

/** Milliseconds that a Retry-After header asks for, given the time in milliseconds; undefined where it says nothing usable. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  // Digits first: a bare number is a valid date to Date.parse.
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header) * 1000;
  if (!/[A-Za-z]/.test(header)) return undefined;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
