import type { ApiError, ClientError, ClientErrorKind } from '../../client/errors.ts';

/** The kind of a client's error; undefined for any other. Told by its shape, so that nothing of the client is loaded for it. */
export function failureKind(error: unknown): ClientErrorKind | undefined {
  return error instanceof Error && 'kind' in error ? (error as ClientError).kind : undefined;
}

/** The HTTP status of an answer that was an error. */
export function failureStatus(error: unknown): number | undefined {
  return failureKind(error) === 'api' ? (error as ApiError).status : undefined;
}

/** True when the session of a call is no more: it was destroyed (410), or the server knows nothing of it (404). */
export function isSessionGone(error: unknown): boolean {
  const status = failureStatus(error);
  return status === 410 || status === 404;
}

/** Milliseconds that a server asked to wait. */
export function retryAfterMs(error: unknown): number | undefined {
  return failureKind(error) === 'api' ? (error as ApiError).retryAfterMs : undefined;
}
