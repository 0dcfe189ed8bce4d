import { ApiError, type ClientError } from './errors.ts';

/** Maximum retries of a GET or DELETE; a POST is never retried. */
export const defaultRetries = 2;
/** The longest wait before a retry, whatever the server asks for, in milliseconds. */
export const longestRetryWaitMs = 60_000;
const firstWaitMs = 300;
const longestRetryAfterMs = 24 * 60 * 60_000;

/** Statuses that are worth a retry; 500 is one of them because GET and DELETE are idempotent. */
const transientStatuses = new Set([408, 429, 500, 502, 503, 504]);
/** Failures that a retry cannot fix. */
const permanentFailures = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_|EPROTO|^ERR_INVALID/;

/** Whether a GET or DELETE is worth retrying. Timeouts are not retried: they have taken long enough. */
export function isTransient(error: ClientError): boolean {
  if (error instanceof ApiError) return transientStatuses.has(error.status);
  if (error.kind !== 'connection') return false;
  return !permanentFailures.test((error as { code?: string }).code ?? '');
}

/** Milliseconds to wait before retry number `retry`, from 1: the server's Retry-After, else exponential backoff with jitter. */
export function retryWaitMs(retry: number, error: ClientError, random: () => number): number {
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
  if (asked !== undefined) return Math.min(asked + random() * 250, longestRetryWaitMs);
  const full = firstWaitMs * 2 ** (retry - 1);
  return Math.min(full / 2 + (random() * full) / 2, longestRetryWaitMs);
}

/** Milliseconds to wait by a Retry-After header of seconds or a date; undefined when it is neither. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.split(/,\s*(?=\d+\s*$)/)[0]?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, longestRetryAfterMs);
  // Numbers with a sign or a fraction would be read as dates.
  if (!/^[A-Za-z]{3}/.test(text)) return undefined;
  const date = Date.parse(text);
  if (Number.isNaN(date)) return undefined;
  return Math.min(Math.max(0, date - now), longestRetryAfterMs);
}
