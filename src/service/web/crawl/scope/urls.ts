import { endSlashes, indexPage, parseUrl, routeOf } from '../../../../contract/addresses.ts';
import type { CrawlOptions } from '../../../../contract/crawl/crawl-jobs.ts';
import { isTracker, withoutParameters } from '../../../../contract/tracking.ts';

/** How URLs of a crawl are compared. */
export interface UrlIdentity {
  ignoreQueryParameters: boolean;
  deduplicateSimilarURLs: boolean;
}

/** Returns how a crawl compares URLs. */
export function identityRules(
  options: Pick<CrawlOptions, 'ignoreQueryParameters' | 'deduplicateSimilarURLs'>,
): UrlIdentity {
  return {
    ignoreQueryParameters: options.ignoreQueryParameters === true,
    deduplicateSimilarURLs: options.deduplicateSimilarURLs !== false,
  };
}

const maxUrlLength = 4096;
/** Path segments; real sites stay far below. */
const maxPathDepth = 20;
const maxRepeats = 2;

/** Names of query parameters that identify a visit, and those that can identify a page too, such as an article. */
const visit =
  /^(?:phpsess(?:ion)?id|jsessionid|aspsessionid\w*|asp\.net_sessionid|cfid|cftoken|oscsid|zenid|xtcsid|modsid|wosid|gsessionid|bv_sessionid)$/i;
const visitOrPage = /^(?:sid|sessid|session_?id)$/i;
/** A value of the latter that is the id of a visit. */
const visitId = /^(?=.*\d)(?:[a-z\d]{16,}|[\da-f-]{32,})$/i;
/** Session ids in a path: `;jsessionid=…` and `/(S(…))`. */
const visitInPath = /;(?:\w*sess(?:ion)?_?id|sid|cfid|cftoken|oscsid)=[^/;]*|\/\([A-Za-z]\([^)/]*\)\)/gi;

/** Parses a link and removes its fragment, unless that is a route. Returns undefined for anything but a usable http or https URL. */
export function parseLink(link: string): URL | undefined {
  if (link.length > maxUrlLength) return undefined;
  const url = parseUrl(link);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.username !== '' || url.password !== '' || url.hostname === '') return undefined;
  url.hash = routeOf(url.hash);
  return url;
}

/** Returns a URL without its query. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** The parts of a URL that a crawl uses. */
export type PageUrl = Readonly<Pick<URL, 'href' | 'origin' | 'hostname' | 'port' | 'pathname' | 'search' | 'hash'>>;

/**
 * Reads a link that a converted page has returned: an http or https URL as `URL` writes it, without a fragment that isn't a
 * route, so it isn't parsed again. Returns undefined if it isn't usable.
 */
export function readLink(link: string): PageUrl | undefined {
  if (link.length > maxUrlLength) return undefined;
  const hostAt = link.indexOf('//') + 2;
  const pathAt = link.indexOf('/', hostAt);
  const host = link.slice(hostAt, pathAt);
  if (pathAt <= hostAt || host.includes('@')) return undefined;
  const hashAt = link.indexOf('#', pathAt);
  const end = hashAt === -1 ? link.length : hashAt;
  const foundAt = link.indexOf('?', pathAt);
  const queryAt = foundAt === -1 || foundAt > end ? end : foundAt;
  const portAt = host.lastIndexOf(':');
  // The colons of an IPv6 address are in brackets.
  const hasPort = portAt > host.lastIndexOf(']');
  return {
    href: link,
    origin: link.slice(0, pathAt),
    hostname: hasPort ? host.slice(0, portAt) : host,
    port: hasPort ? host.slice(portAt + 1) : '',
    pathname: link.slice(pathAt, queryAt),
    // An empty query isn't part of it.
    search: queryAt >= end - 1 ? '' : link.slice(queryAt, end),
    hash: link.slice(end),
  };
}

/** Returns a key that is equal for URLs that a crawl treats as the same page. */
export function identityOf(url: PageUrl, { ignoreQueryParameters, deduplicateSimilarURLs }: UrlIdentity): string {
  if (!deduplicateSimilarURLs) return url.origin + url.pathname + (ignoreQueryParameters ? '' : url.search) + url.hash;
  const path = url.pathname.replace(visitInPath, '').replace(indexPage, '/').replace(endSlashes, '');
  const query = ignoreQueryParameters || url.search === '' ? '' : sortedQuery(url.search);
  return hostIdentity(url) + unescapePlain(path) + query + unescapePlain(url.hash);
}

/** Returns a URL's host without `www.` and without the scheme's default port. */
export function hostIdentity(url: PageUrl): string {
  return withoutWww(url.hostname) + (url.port === '' ? '' : `:${url.port}`);
}

export function withoutWww(hostname: string): string {
  return hostname.startsWith('www.') ? hostname.slice(4) : hostname;
}

/** Returns a URL without what only tells where the visit comes from: the page to read. */
export function withoutTrackers({ href, origin, pathname, search, hash }: PageUrl): string {
  if (search === '') return href;
  const query = withoutParameters(search, isTracker);
  return query === search ? href : origin + pathname + query + hash;
}

/** Returns a URL without what identifies the visit: the page to report, which is the same for all visits. */
export function withoutVisit({ href, origin, pathname, search, hash }: PageUrl): string {
  const query = search === '' ? '' : withoutParameters(search, isOfVisit);
  const path = pathname.replace(visitInPath, '');
  return query === search && path === pathname ? href : origin + (path || '/') + query + hash;
}

/** Whether a parameter identifies the visit, or says where it comes from. */
export function isOfVisit(name: string, value: string): boolean {
  return isTracker(name) || visit.test(name) || (visitOrPage.test(name) && visitId.test(value));
}

function sortedQuery(search: string): string {
  const pairs = withoutParameters(unescapePlain(search), isOfVisit)
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '')
    .sort();
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Decodes escapes of unreserved characters (`%41` is `A`) and writes all others in upper case. */
export function unescapePlain(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escaped.toUpperCase();
  });
}

/**
 * Returns whether a path looks like a crawler trap: too deep, or with a segment that repeats too often. Numbers, as in
 * dates, may repeat unless they do so in a row.
 */
export function isTrap(pathname: string): boolean {
  const all = pathname.split('/');
  const segments = all.filter((segment) => segment !== '');
  // Before the first segment and behind the last one is an empty one, which a path may have elsewhere, too: `/docs//page`.
  if (all.length > maxPathDepth + 2 || segments.length > maxPathDepth) return true;
  if (segments.length <= maxRepeats) return false;
  const counts = new Map<string, number>();
  let row = 0;
  let previous = '';
  for (const segment of segments) {
    row = segment === previous ? row + 1 : 1;
    previous = segment;
    const count = (counts.get(segment) ?? 0) + 1;
    counts.set(segment, count);
    if ((/^\d+$/.test(segment) ? row : count) > maxRepeats) return true;
  }
  return false;
}

const partExtension = /\.(?:png|jpe?g|gif|svg|ico|webp|avif|bmp|tiff?|woff2?|ttf|otf|eot)$/i;
/** Not those of texts, such as scripts: what a page links to can be read, and pages have such names too, such as `/wiki/Node.js`. */
const fileExtension =
  /\.(?:mp[34]|m4[av]|avi|mov|mkv|webm|wav|ogg|flac|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|msi|dmg|pkg|deb|rpm|apk|iso|bin|jar|wasm|swf)$/i;

/** Whether it is the name of a page about a file, as wikis have it: a file's own name has no colon. */
const isAboutFile = (pathname: string) => /:|%3a/i.test(pathname.slice(pathname.lastIndexOf('/')));

/** Returns whether a path has the extension of what pages consist of, such as an image. */
export function isPartOfPages(pathname: string): boolean {
  return partExtension.test(pathname) && !isAboutFile(pathname);
}

/** Returns whether a path has the extension of a file that can't be read, such as a film. */
export function isFile(pathname: string): boolean {
  return fileExtension.test(pathname) && !isAboutFile(pathname);
}

/** Returns the depth of a path: its number of segments, without an index page. */
export function pathDepth(pathname: string): number {
  return pathname
    .replace(indexPage, '/')
    .split('/')
    .filter((segment) => segment !== '').length;
}

/** Returns a text as a pattern that matches only it. */
export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
