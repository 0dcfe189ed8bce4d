import { isIP } from 'node:net';
import { shorten } from '../../../contract/shorten.ts';

/** Where a service listens, and the names that callers use. */
export interface AddressOptions {
  /** IP address to listen on. */
  host: string;
  /** Names, or `NAME:PORT`, that requests may have in their Host header in addition to those of this machine. */
  allowedHosts: readonly string[];
  /** Origin, such as `https://data.example.com`, at which callers reach the service, if it isn't where it listens. */
  publicUrl: string | undefined;
}

/** The address and names of a service that listens. */
export interface ServiceAddress extends AddressOptions {
  port: number;
}

/** Whether other machines can reach a service that listens on this address. */
export function isBeyondLoopback(host: string): boolean {
  return host !== '::1' && !/^127\./.test(host);
}

/** Whether a service that listens on this address can be reached at 127.0.0.1. */
export function listensOnLoopback(host: string): boolean {
  return ['127.0.0.1', '0.0.0.0', '::'].includes(host);
}

/** Returns the URL at which programs on this machine reach a service. */
export function localUrl({ host, port }: Pick<ServiceAddress, 'host' | 'port'>): string {
  const local = listensOnLoopback(host) ? '127.0.0.1' : host;
  return `http://${isIP(local) === 6 ? `[${local}]` : local}:${port}`;
}

/** Returns the URL that links to a service have. */
export function linkedUrl(address: ServiceAddress): string {
  return address.publicUrl ?? localUrl(address);
}

/** Returns the WebSocket origin of an http or https origin. */
export function socketUrl(origin: string): string {
  return origin.replace(/^http/, 'ws');
}

/** Parses the value of `--host`. Throws an Error with a message to show. */
export function parseHost(text: string): string {
  const host = text === 'localhost' ? '127.0.0.1' : text.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) === 0 || host.includes('%'))
    throw new Error(
      `--host must be an IP address of this machine, such as 0.0.0.0 for all of them, got "${shorten(text, 80)}".`,
    );
  return host;
}

/** Parses a value of `--allowed-host`. Throws an Error with a message to show. */
export function parseAllowedHost(text: string): string {
  const name = text.toLowerCase();
  const isName = /^(?:[a-z0-9_](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/.test(name);
  if (!isName || !URL.canParse(`http://${name}`))
    throw new Error(
      `--allowed-host must be the name of a host, such as data.example.com or node1:4000, got "${shorten(text, 80)}".`,
    );
  return name;
}

/** Parses the value of `--public-url`: returns its origin. Throws an Error with a message to show. */
export function parsePublicUrl(text: string | undefined): string | undefined {
  if (!text) return undefined;
  const url = URL.parse(text);
  const isOrigin = url !== null && url.username + url.password + url.search + url.hash === '' && url.pathname === '/';
  if (!isOrigin || !/^https?:$/.test(url.protocol))
    throw new Error('--public-url must be an http or https URL without a path, such as https://data.example.com.');
  return url.origin;
}

/**
 * Checks that a service that others reach is protected. Throws an Error with a message to show.
 * @param noAuth whether requests need no key
 */
export function checkExposure({ host, allowedHosts, publicUrl }: AddressOptions, noAuth: boolean): void {
  if (noAuth && publicUrl !== undefined)
    throw new Error(
      `--no-auth and --public-url can't be used together: everyone who reaches ${shorten(publicUrl)} could run code. Use API keys.`,
    );
  if (!isBeyondLoopback(host)) return;
  if (noAuth)
    throw new Error(
      `With --no-auth, the service listens on 127.0.0.1 only: every machine that reaches ${shorten(host)} could run code. Use API keys.`,
    );
  if (allowedHosts.length === 0 && publicUrl === undefined)
    throw new Error(
      `--host ${shorten(host)} also needs --allowed-host or --public-url, with the name that requests have in their Host header.`,
    );
}

/** Returns whether the value of a Host header is one of the service's names. */
export function isOwnHost(value: string, { host, port, allowedHosts, publicUrl }: ServiceAddress): boolean {
  const name = value.toLowerCase();
  const own = [`127.0.0.1:${port}`, `localhost:${port}`, new URL(localUrl({ host, port })).host];
  if (own.includes(name) || allowedHosts.includes(name)) return true;
  if (publicUrl !== undefined && name === new URL(publicUrl).host) return true;
  const [, withoutPort] = /^(.*):\d{1,5}$/.exec(name) ?? [];
  return withoutPort !== undefined && allowedHosts.includes(withoutPort);
}

/**
 * Returns whether pages of an origin are the service's own: at its public URL, or at the name that the request itself has.
 * @param hostValue value of the request's Host header, which has been checked
 */
export function isOwnOrigin(origin: string, hostValue: string, address: ServiceAddress): boolean {
  const { port, allowedHosts, publicUrl } = address;
  const local = [`http://127.0.0.1:${port}`, `http://localhost:${port}`, localUrl(address)];
  if (local.includes(origin) || (publicUrl !== undefined && origin === publicUrl)) return true;
  // Without an allowed name, only a loopback name is left, which no proxy serves over https.
  if (allowedHosts.length === 0) return false;
  const name = hostValue.toLowerCase();
  return origin === `http://${name}` || (origin === `https://${name}` && !/^(?:127\.|localhost:)/.test(name));
}
