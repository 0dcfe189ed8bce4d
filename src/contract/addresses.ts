/** Turns what people type into URLs. Pure: used by the extension, the live view and the service's request bodies. */

const withScheme = /^https?:\/\//i;
/** The host of a URL as it is written, with a user name and a port. */
const writtenHost = /^[\0-\x20]*(?:[a-z][a-z0-9+.-]*:[/\\]*|[/\\]{2,})([^/\\?#]*)/i;
/** More characters of a label than an international name can have: 63, each percent-encoded. */
const longLabel = /[^.\u3002\uff0e\uff61@:]{600}/;
/** A host with an optional port, then a path, query or fragment. A user name isn't part of it. */
const bareAddress = /^(\[[0-9a-f:.]+\]|[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.?)(:\d{1,5})?(?:[/?#].*)?$/isu;
/** Words before a colon that are schemes, not hosts: `tel:911` isn't a host with a port. */
const otherSchemes = /^(?:about|blob|chrome|data|file|ftp|javascript|mailto|sms|tel|urn|view-source|ws|wss):/i;
const privateNames = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa)$/;
const privateAddresses =
  /^(?:(?:0|10|127)\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|\[(?:::1?\]|f[cd]|fe[89ab]))/;

/**
 * Whether a text can be parsed as a URL in short time. International names are converted to ASCII in a time that grows with the
 * square of a label's length, before any length is checked: one of 5,000 characters takes a fifth of a second.
 */
export function isQuickUrl(text: string): boolean {
  const [, host = ''] = writtenHost.exec(/[\t\n\r]/.test(text) ? text.replaceAll(/[\t\n\r]/g, '') : text) ?? [];
  return !longLabel.test(host) || /^[\0-\x24\x26-\x7f]*$/.test(host);
}

/** Parses a URL that a caller, a page or a server wrote; null if it isn't one. */
export function parseUrl(text: string, base?: string | URL): URL | null {
  return isQuickUrl(text) ? URL.parse(text, base) : null;
}

/**
 * Returns an address with a scheme: as it is if it has one, else with `https://`, or `http://` for loopback and
 * private hosts. Texts that aren't addresses are returned as they are.
 */
export function addScheme(text: string): string {
  const address = text.trim();
  const [, host = '', port] = bareAddress.exec(address) ?? [];
  if (host === '' || otherSchemes.test(address)) return text;
  const url = parseUrl(`http://${address}`);
  if (!url) return text;
  const isName = !host.startsWith('[') && !host.includes('.');
  // A single word is more likely a typing error than a host, unless it has a port.
  if (isName && port === undefined && !isPrivateHost(url.hostname)) return text;
  return `${isName || isPrivateHost(url.hostname) ? 'http' : 'https'}://${address}`;
}

/** Returns the http or https URL for an entered address, with its scheme added if it has none; undefined if it isn't one. */
export function enteredAddress(text: string): URL | undefined {
  const address = addScheme(text).trim();
  const url = withScheme.test(address) ? parseUrl(address) : null;
  return url && url.hostname !== '' ? url : undefined;
}

/** Returns a site URL if it is safe to open in a browser: http or https without user info. Undefined for everything else. */
export function siteAddress(text: unknown): URL | undefined {
  const url = typeof text === 'string' && text.length <= 8_000 ? parseUrl(text) : null;
  const web = url?.protocol === 'https:' || url?.protocol === 'http:';
  return web && !url.username && !url.password ? url : undefined;
}

/**
 * Returns the fragment of a URL if it is a route of an application, which shows another page for it: `#/help` and `#!help`, but
 * not `#help`, which is a place in the page, or the route to the page itself.
 */
export function routeOf(hash: string): string {
  return /^#(?!!?\/?$)[!/]/.test(hash) ? hash : '';
}

/** The end of a path that shows the page of its folder. */
export const indexPage = /\/(?:index|default)\.(?:html?|php|aspx?|jsp)$/i;

/** The slashes at the end of a path. Such a pattern looks at those before its end once only, however many they are. */
export const endSlashes = /(?<!\/)\/+$/;

/** Returns the section that a path starts, with a trailing slash: `/docs/` for both `/docs/index.html` and `/docs`. */
export function sectionOf(pathname: string): string {
  return `${pathname.replace(indexPage, '/').replace(endSlashes, '')}/`;
}

/** Returns the path that a page at a route would have if the route were a part of it: `/app/help` for `/app/#/help`. */
export function pathOfRoute({ pathname, hash }: Pick<URL, 'pathname' | 'hash'>): string | undefined {
  const [, path] = /^#!*\/*([^?]*)/.exec(routeOf(hash)) ?? [];
  return path === undefined ? undefined : sectionOf(pathname) + path;
}

/** Returns the paths of a page by which it is called: that of its URL, and that with its route. */
export const pathsOf = (url: Pick<URL, 'pathname' | 'hash'>): string[] => [url.pathname, pathOfRoute(url) ?? []].flat();

/** Returns whether a host, as `URL` writes it, is a loopback or private address or a name in a private network. */
export function isPrivateHost(hostname: string): boolean {
  return privateAddresses.test(hostname) || privateNames.test(hostname.replace(/\.$/, ''));
}

/** Whether a host name, as `URL` normalizes it, is this machine without a DNS lookup. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/** Returns the http URL of an https URL. A port stays; the default port of https becomes that of http. */
export function httpAddress(url: URL): URL {
  const http = new URL(url);
  http.protocol = 'http:';
  return http;
}
