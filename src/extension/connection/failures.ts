import type { ApiError, ClientError, ClientErrorKind } from '../../client/errors.ts';

/** Returns the client error that an error is, or that it tells the user. Checks the shape, so the client isn't loaded. */
function clientError(error: unknown): ClientError | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('kind' in error) return error as ClientError;
  return error.cause instanceof Error && 'kind' in error.cause ? (error.cause as ClientError) : undefined;
}

/** Returns the kind of a client error; undefined for other errors. */
export function failureKind(error: unknown): ClientErrorKind | undefined {
  return clientError(error)?.kind;
}

function apiError(error: unknown): ApiError | undefined {
  const found = clientError(error);
  return found?.kind === 'api' ? (found as ApiError) : undefined;
}

/** Returns the HTTP status of an API error; undefined for other errors. */
export function failureStatus(error: unknown): number | undefined {
  return apiError(error)?.status;
}

/** Returns the server's error code; undefined for other errors. */
export function failureCode(error: unknown): string | undefined {
  return apiError(error)?.code;
}

/** Returns where the service looked for a browser that it didn't find, as far as it says. */
export function searchedPlaces(error: unknown): readonly string[] {
  return apiError(error)?.searched ?? [];
}

/** Returns whether a call failed because its session was destroyed (410) or doesn't exist (404). */
export function isSessionGone(error: unknown): boolean {
  const status = failureStatus(error);
  return status === 410 || status === 404;
}

/** Returns how long the server asked to wait, in milliseconds. */
export function retryAfterMs(error: unknown): number | undefined {
  return apiError(error)?.retryAfterMs;
}
