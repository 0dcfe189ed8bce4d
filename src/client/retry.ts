import { ApiError, type ClientError } from './errors.ts';

/** How often a GET or DELETE is tried again; a POST never is. */
export const defaultRetries = 2;
/** The longest wait before a retry, whatever the server asks for, in milliseconds. */
export const longestRetryWaitMs = 60_000;
const firstWaitMs = 300;
const longestRetryAfterMs = 24 * 60 * 60_000;

/** Answers that another try may better: 500 belongs to them since GET and DELETE may be repeated without harm. */
const passingStatuses = new Set([408, 429, 500, 502, 503, 504]);
/** Failures that stay until a person does something. */
const lastingFailures = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_|EPROTO|^ERR_INVALID/;

/** Whether another try of the same GET or DELETE makes sense. Timeouts are not tried again: they took their time already. */
export function isPassing(error: ClientError): boolean {
  if (error instanceof ApiError) return passingStatuses.has(error.status);
  if (error.kind !== 'connection') return false;
  return !lastingFailures.test((error as { code?: string }).code ?? '');
}

/** Milliseconds to wait before try number `retry` (1 is the first repeat): what the server asks for, else doubling, with jitter. */
export function retryWaitMs(retry: number, error: ClientError, random: () => number): number {
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
  if (asked !== undefined) return Math.min(asked + random() * 250, longestRetryWaitMs);
  const full = firstWaitMs * 2 ** (retry - 1);
  return Math.min(full / 2 + (random() * full) / 2, longestRetryWaitMs);
}

/** Milliseconds that a Retry-After header asks for: digits are seconds, else a date; undefined when it is neither. */
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
