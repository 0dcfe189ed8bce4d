import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { headerValues } from '../../contract/raw-headers.ts';

/** Why a request is turned away before anything of it is looked at. */
export interface Refusal {
  status: number;
  error: string;
}

/** The part of a request that guards judge. */
export type Head = Pick<IncomingMessage, 'rawHeaders' | 'url' | 'method' | 'httpVersion'>;

/** What is let through on the paths of pages that people open, and nowhere else. */
export interface PageAllowance {
  /** `host` or `host:port` under which VS Code forwards this service, accepted as Host and as Origin. */
  authorities: readonly string[];
}

/**
 * Judges Host, Origin and fetch metadata, the same for every route and upgrade: pages of other sites, and names
 * rebound to this address, must not reach a service that listens on loopback. A page may in addition be opened by
 * following a link, and under the authorities of its allowance.
 */
export function judgeOrigin(head: Head, port: number, page?: PageAllowance): Refusal | undefined {
  const own = [`127.0.0.1:${port}`, `localhost:${port}`];
  const outside = page?.authorities ?? [];
  const hosts = headerValues(head, 'host');
  if (hosts.length !== 1) return { status: 400, error: `Expected exactly one Host header, got ${hosts.length}.` };
  if (![...own, ...outside].includes(hosts[0]?.toLowerCase() ?? '')) {
    return { status: 403, error: `This Host is not served here; ask for http://${own[0]}.` };
  }
  if (!head.url?.startsWith('/') || head.url.startsWith('//')) {
    return { status: 400, error: 'Expected a path that starts with one slash as the request target.' };
  }
  const given = headerValues(head, 'origin');
  if (given.length > 1) return { status: 400, error: 'Expected at most one Origin header.' };
  const [origin] = given;
  const origins = [
    ...[...own, ...outside].map((host) => `http://${host}`),
    ...outside.map((host) => `https://${host}`),
  ];
  if (origin !== undefined && !origins.includes(origin)) {
    return { status: 403, error: 'Requests from pages of other origins are refused.' };
  }
  const site = headerValues(head, 'sec-fetch-site')[0];
  const followsLink = page !== undefined && headerValues(head, 'sec-fetch-mode')[0] === 'navigate';
  if ((site === 'cross-site' || site === 'same-site') && !followsLink) {
    return { status: 403, error: 'Requests from pages of other sites are refused.' };
  }
  if (headerValues(head, 'authorization').length > 1) {
    return { status: 400, error: 'Expected at most one Authorization header.' };
  }
  return undefined;
}

/** Headers of every answer: nothing is cached, sniffed, or readable by other sites. */
export const safeHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Answers an upgrade that is not to be, and ends its socket. */
export function refuseUpgrade(socket: Duplex, { status, error }: Refusal): void {
  const body = JSON.stringify({ success: false, error });
  const headers = Object.entries({
    ...safeHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${headers.join('')}\r\n${body}`);
}
