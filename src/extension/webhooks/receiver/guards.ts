import type { IncomingMessage } from 'node:http';
import { headerValues } from '../../../contract/raw-headers.ts';

/** Why a request is turned away before its body is read. */
export interface Refusal {
  status: number;
  error: string;
  headers?: Record<string, string>;
}

export type Head = Pick<IncomingMessage, 'rawHeaders' | 'url' | 'method' | 'headers'>;

/** Bytes of a delivery's body. */
export const bodyLimit = 10 * 1024 * 1024;

/** Names that only this machine itself answers to; through a tunnel of the person's own they come with any port. */
const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/;

/**
 * Judges the head of a request, the same whether there is a secret or not.
 * @param publicHosts names (with a port, if they have one) under which the person has published this port
 */
export function judgeHead(head: Head, path: string, publicHosts: readonly string[]): Refusal | undefined {
  const hosts = headerValues(head, 'host');
  const host = hosts[0]?.toLowerCase() ?? '';
  if (hosts.length !== 1) return { status: 400, error: 'Expected one Host header.' };
  if (!loopbackHost.test(host) && !publicHosts.includes(host)) {
    return { status: 403, error: 'This receiver is not known by that host name.' };
  }
  const origins = headerValues(head, 'origin');
  const site = headerValues(head, 'sec-fetch-site')[0];
  if (origins.length > 0 || site === 'cross-site' || site === 'same-site') {
    return { status: 403, error: 'Web pages deliver nothing here.' };
  }
  const [target] = (head.url ?? '').split('?');
  if (target !== path && target !== `${path}/`) return { status: 404, error: 'There is nothing here.' };
  if (head.method !== 'POST') return { status: 405, error: 'Deliveries are posted.', headers: { allow: 'POST' } };
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

export const tooLarge: Refusal = { status: 413, error: `A delivery has at most ${bodyLimit} bytes.` };
