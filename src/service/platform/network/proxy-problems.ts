import { messageOf } from '../errors.ts';
import { whyUnreachable } from './connection-problems.ts';

/** The proxy that the settings name failed, not the site. */
export class ProxyError extends Error {}

/** The proxy can't be reached. */
export function unreachableProxy({ host, origin }: URL, error: unknown): ProxyError {
  const why = whyUnreachable(error, origin);
  return new ProxyError(
    `The proxy at ${host} can't be reached: ${why} Check that it is running and that --proxy is correct.`,
    { cause: error },
  );
}

/** The proxy answered in place of the site. */
export function refusedByProxy({ host }: URL, status = 0): ProxyError {
  return new ProxyError(
    status === 407
      ? `The proxy at ${host} requires a user name and password (status 407). Check those in --proxy.`
      : `The proxy at ${host} made no connection to the site (status ${status}).`,
  );
}

/**
 * Returns a sentence if the answer of a page may be that of the proxy, which can't reach the site: over HTTPS a proxy answers before
 * there is a page, but a plain page is the proxy's own answer in any case.
 */
export function perhapsOfProxy(proxy: URL | undefined, url: URL, status: number): string | undefined {
  if (!proxy || url.protocol !== 'http:' || !gatewayStatuses.has(status)) return undefined;
  return `The status ${status} may be from the proxy at ${proxy.host}, not from the site.`;
}

const gatewayStatuses = new Set([502, 503, 504]);

/** Returns what undici's error of a request through a proxy says of the proxy; undefined if the site failed. */
export function proxyProblem(proxy: URL, error: unknown): ProxyError | undefined {
  const { syscall, hostname, code } = error as { syscall?: unknown; hostname?: unknown; code?: unknown };
  const [, status] = /^Proxy (?:response|Authentication Required) \((\d+)\)/.exec(messageOf(error)) ?? [];
  if (status) return refusedByProxy(proxy, Number(status));
  // All that connects is a connection to the proxy: it connects to the site.
  const isConnect = syscall === 'connect' || hostname === proxy.hostname;
  const isProxys = isConnect || /^UND_ERR_(CONNECT_TIMEOUT|PRX_)/.test(String(code));
  return isProxys ? unreachableProxy(proxy, error) : undefined;
}
