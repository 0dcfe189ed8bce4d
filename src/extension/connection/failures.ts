import type { ApiError, ClientError, ClientErrorKind } from '../../client/errors.ts';

/** Returns the kind of a client error; undefined for other errors. Checks the shape, so the client isn't loaded. */
export function failureKind(error: unknown): ClientErrorKind | undefined {
  return error instanceof Error && 'kind' in error ? (error as ClientError).kind : undefined;
}

/** Returns the HTTP status of an API error; undefined for other errors. */
export function failureStatus(error: unknown): number | undefined {
  return failureKind(error) === 'api' ? (error as ApiError).status : undefined;
}

/** Returns whether a call failed because its session was destroyed (410) or doesn't exist (404). */
export function isSessionGone(error: unknown): boolean {
  const status = failureStatus(error);
  return status === 410 || status === 404;
}

/** Returns how long the server asked to wait, in milliseconds. */
export function retryAfterMs(error: unknown): number | undefined {
  return failureKind(error) === 'api' ? (error as ApiError).retryAfterMs : undefined;
}
