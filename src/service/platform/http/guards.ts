import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { headerValues } from '../../../contract/raw-headers.ts';
import { endSocket } from '../end-socket.ts';
import { isOwnHost, isOwnOrigin, linkedUrl, type ServiceAddress } from './address.ts';

/** Why a request is rejected before it is routed. */
export interface Refusal {
  status: number;
  error: string;
  /** Seconds after which it may be admitted. */
  retryAfter?: number;
}

/** The part of a request that guards check. */
export type RequestHead = Pick<IncomingMessage, 'rawHeaders' | 'url' | 'method' | 'httpVersion'>;

/** What is additionally allowed on paths of pages that people open in a browser. */
export interface PageAllowance {
  /** `host` or `host:port` of VS Code's forwarded ports for this service, accepted in Host and Origin. */
  authorities: readonly string[];
}

/**
 * Checks Host, Origin and fetch metadata of every request and upgrade, so that pages of other sites, and DNS names
 * rebound to this address, can't reach the service. A page with an allowance can also be opened by
 * following a link, and under the allowance's authorities. Returns why the request is refused, if it is.
 */
export function checkOrigin(head: RequestHead, address: ServiceAddress, page?: PageAllowance): Refusal | undefined {
  const forwarded = page?.authorities ?? [];
  const hosts = headerValues(head, 'host');
  if (hosts.length !== 1) return { status: 400, error: `Expected exactly one Host header, got ${hosts.length}.` };
  const host = hosts[0]?.toLowerCase() ?? '';
  if (!isOwnHost(host, address) && !forwarded.includes(host)) {
    return { status: 403, error: `This host name is not allowed. Use ${linkedUrl(address)}.` };
  }
  if (!head.url?.startsWith('/') || head.url.startsWith('//')) {
    return { status: 400, error: 'Expected a request target that starts with a single slash.' };
  }
  const originHeaders = headerValues(head, 'origin');
  if (originHeaders.length > 1) return { status: 400, error: 'Expected at most one Origin header.' };
  const [origin] = originHeaders;
  const ofForwarded = forwarded.flatMap((authority) => [`http://${authority}`, `https://${authority}`]);
  if (origin !== undefined && !ofForwarded.includes(origin) && !isOwnOrigin(origin, host, address)) {
    return { status: 403, error: 'Requests from web pages of other origins are not allowed.' };
  }
  const site = headerValues(head, 'sec-fetch-site')[0];
  const followsLink = page !== undefined && headerValues(head, 'sec-fetch-mode')[0] === 'navigate';
  if ((site === 'cross-site' || site === 'same-site') && !followsLink) {
    return { status: 403, error: 'Requests from web pages of other sites are not allowed.' };
  }
  if (headerValues(head, 'authorization').length > 1) {
    return { status: 400, error: 'Expected at most one Authorization header.' };
  }
  return undefined;
}

/** Headers of every response: no caching, no content sniffing, no access for other sites. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Rejects an upgrade request and closes its socket. */
export function refuseUpgrade(socket: Duplex, { status, error, retryAfter }: Refusal): void {
  const body = JSON.stringify({ success: false, error });
  const headers = Object.entries({
    ...securityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  endSocket(socket, `HTTP/1.1 ${status} Refused\r\n${headers.join('')}\r\n${body}`);
}

/** Bytes of a body that are read after its answer was sent; then the connection is cut. */
const mostDiscarded = 256 * 1024 * 1024;

/**
 * Reads what is left of a request that is answered before it has arrived: closing the connection would cut its sender off
 * from the answer. Returns whether anything is left.
 */
export function discardRest(request: IncomingMessage): boolean {
  const hasBody = 'transfer-encoding' in request.headers || Number(request.headers['content-length'] ?? 0) > 0;
  if (!hasBody || request.complete) return false;
  let left = mostDiscarded;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.byteLength;
    if (left < 0) request.socket.destroy();
  });
  return true;
}
