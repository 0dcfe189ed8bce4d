import type { FastifyError, FastifyRequest } from 'fastify';
import { shorten } from '../../../contract/shorten.ts';
import { messageOf, ServiceError } from '../errors.ts';
import { onlyJson } from './bind.ts';
import type { Refusal } from './guards.ts';

/** Paths that other servers have, and why this one doesn't. */
const notOffered: [path: RegExp, reason: string][] = [
  [/^\/v[01]\//, 'This service has only version 2 of the API: use the path that starts with /v2.'],
  [
    /^\/v2\/search\/(research|developer)\b/,
    'This service has no index of papers or repositories: search the web with POST /v2/search.',
  ],
  [/^\/v2\/search\/gov\b/, 'This service has no index of government documents: search the web with POST /v2/search.'],
  [/^\/v2\/exchange\b/, 'This service has no exchange of data sets: search the web with POST /v2/search.'],
  [/^\/v2\/team\/threat-protection\b/, 'This service has no list of malicious sites.'],
  [/^\/v2\/parse\/upload-url\b/, 'Files need no separate upload: send them to POST /v2/parse as multipart/form-data.'],
  [/^\/v2\/parse\/formats\b/, 'docs/scraping.md lists the files that POST /v2/parse reads.'],
  [/^\/v2\/agent\/threads\b/, 'Agent jobs are independent and have no threads: GET /v2/agent lists the jobs.'],
];

/** Returns why a path of other servers isn't offered, if it is one. */
function reasonFor(url: string): string[] {
  return notOffered.flatMap(([path, reason]) => (path.test(url) ? [reason] : [])).slice(0, 1);
}

/** Returns the answer to a request for a path that there is none of. */
export function notFound(method: string, url: string): object {
  const [reason] = reasonFor(url);
  if (reason === undefined) return { success: false, error: 'Not found: no endpoint at this path.' };
  const path = shorten(url.replace(/\?.*$/s, ''));
  return { success: false, error: `${method} ${path} isn't offered. ${reason}`, code: 'NOT_OFFERED' };
}

/** Returns the answer to a request for a path that doesn't accept its method. */
export function notAllowed({ method, url }: FastifyRequest, accepted: readonly string[]): object {
  const error = `This path doesn't accept ${method}. It accepts ${accepted.join(', ')}.`;
  return { success: false, error: [error, ...reasonFor(url)].join(' ') };
}

/** Returns the answer to a request that can't be routed. */
export function unroutable({ code }: FastifyError): object {
  const error =
    code === 'FST_ERR_MAX_PARAM_LENGTH'
      ? 'The URL is too long: no ID is that long.'
      : 'The path is not a valid URL: check its percent-encoding.';
  return { success: false, error, code: 'BAD_REQUEST' };
}

/** Returns the answer to what isn't a complete HTTP request. */
export function malformed({ code }: { code?: string }): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: 431, error: 'The URL and headers are too large: the limit is 16 KiB.' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { status: 408, error: 'The request did not arrive in time.' };
  return { status: 400, error: 'This is not a valid HTTP request.' };
}

/** Returns what the log says about an error. */
export function loggedReason(error: Error): string {
  return error instanceof ServiceError && error.unlogged ? (error.code ?? 'not logged') : messageOf(error);
}

/** Returns the error that a request is answered with. */
export function answeredError(error: FastifyError | ServiceError, request: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code, statusCode = 500 } = error;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return onlyJson();
  if (statusCode >= 400 && statusCode < 500)
    return new ServiceError(statusCode, messageOf(error), { ...(code && { code }) });
  return new ServiceError(500, `Internal error. See the service log for details, under the request ID ${request.id}.`, {
    code: 'UNKNOWN_ERROR',
  });
}

/** Returns the body of the answer to a request that failed. */
export function bodyOf({ message, code, details }: ServiceError): object {
  return { success: false, error: message, ...(code && { code }), ...(details !== undefined && { details }) };
}
