import type { IncomingMessage } from 'node:http';
import { headerValues } from '../../../contract/raw-headers.ts';

/** The response to a request that is refused. */
export interface Refusal {
  status: number;
  error: string;
  headers?: Record<string, string>;
}

export type Head = Pick<IncomingMessage, 'rawHeaders' | 'url' | 'method' | 'headers'>;

/** The maximum size of a delivery's body in bytes. */
export const bodyLimit = 10 * 1024 * 1024;

/** Hosts of this machine, with any port, since requests through a tunnel may carry the tunnel's port. */
const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/;

/**
 * Checks the head of a request, in the same way whether or not a secret is set. Returns undefined if it is accepted.
 * @param publicHosts host names (with a port, if any) at which the user has published this receiver
 */
export function checkHead(head: Head, path: string, publicHosts: readonly string[]): Refusal | undefined {
  const hosts = headerValues(head, 'host');
  const host = hosts[0]?.toLowerCase() ?? '';
  if (hosts.length !== 1) return { status: 400, error: 'Expected one Host header.' };
  if (!loopbackHost.test(host) && !publicHosts.includes(host)) {
    return { status: 403, error: "This receiver doesn't accept requests for this host name." };
  }
  const origins = headerValues(head, 'origin');
  const site = headerValues(head, 'sec-fetch-site')[0];
  if (origins.length > 0 || site === 'cross-site' || site === 'same-site') {
    return { status: 403, error: "Requests from web pages aren't accepted." };
  }
  const [target] = (head.url ?? '').split('?');
  if (target !== path && target !== `${path}/`) return { status: 404, error: 'Not found.' };
  if (head.method !== 'POST') return { status: 405, error: 'Expected a POST request.', headers: { allow: 'POST' } };
  const types = headerValues(head, 'content-type');
  if (types.length !== 1 || !/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(types[0] ?? '')) {
    return { status: 415, error: 'Expected Content-Type: application/json.' };
  }
  if (headerValues(head, 'content-encoding').some((encoding) => encoding.toLowerCase() !== 'identity')) {
    return { status: 415, error: 'Expected a body without Content-Encoding.' };
  }
  if (Number(head.headers['content-length'] ?? 0) > bodyLimit) return tooLarge;
  return undefined;
}

export const tooLarge: Refusal = { status: 413, error: `The body is larger than ${bodyLimit} bytes.` };
