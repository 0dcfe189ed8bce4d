/** How URLs of a crawl are compared. */
export interface UrlIdentity {
  ignoreQueryParameters: boolean;
  deduplicateSimilarURLs: boolean;
}

const longestUrl = 4096;
/** Path segments; sites that mean it stay far below. */
const deepestPath = 20;
const mostRepeats = 2;

/** Names of query parameters that carry a visit, not a page. */
const visitParameter =
  /^(utm_\w+|gclid|fbclid|msclkid|dclid|mc_[ce]id|_ga|phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken|sid|sessionid|session_id)$/i;
/** Session ids in a path: `;jsessionid=…` and `/(S(…))`. */
const visitInPath = /;(?:jsessionid|phpsessid|sid)=[^/;]*|\/\([A-Za-z]\([^)/]*\)\)/gi;
const indexPage = /\/(?:index|default)\.(?:html?|php|aspx?|jsp)$/i;

/** Parses a link of a page. Undefined for anything but a usable http(s) URL; the fragment is gone. */
export function parseLink(link: string): URL | undefined {
  if (link.length > longestUrl) return undefined;
  const url = URL.parse(link);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.username !== '' || url.password !== '' || url.hostname === '') return undefined;
  url.hash = '';
  return url;
}

/** The text that is the same for URLs that a crawl takes for one page. */
export function identityOf(url: URL, { ignoreQueryParameters, deduplicateSimilarURLs }: UrlIdentity): string {
  if (!deduplicateSimilarURLs) return url.origin + url.pathname + (ignoreQueryParameters ? '' : url.search);
  const path = url.pathname.replace(visitInPath, '').replace(indexPage, '/').replace(/\/+$/, '');
  const query = ignoreQueryParameters || url.search === '' ? '' : sortedQuery(url.search);
  return hostIdentity(url) + unescapePlain(path) + query;
}

/** A host as people think of it: `www.` and the scheme's own port make no difference. */
export function hostIdentity(url: URL): string {
  return withoutWww(url.hostname) + (url.port === '' ? '' : `:${url.port}`);
}

export function withoutWww(hostname: string): string {
  return hostname.startsWith('www.') ? hostname.slice(4) : hostname;
}

function sortedQuery(search: string): string {
  const pairs = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !visitParameter.test(pair.split('=', 1)[0] ?? ''))
    .sort();
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** `%41` and `A` are the same; what needs its escape keeps it, in upper case. */
function unescapePlain(path: string): string {
  if (!path.includes('%')) return path;
  return path.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escaped.toUpperCase();
  });
}

/**
 * Whether a path looks like one that a site makes up without end: too deep, or with a segment that comes again and
 * again. Numbers, as in dates, may come again unless they do so in a row.
 */
export function isTrap(pathname: string): boolean {
  const segments = pathname.split('/').filter((segment) => segment !== '');
  if (segments.length > deepestPath) return true;
  if (segments.length <= mostRepeats) return false;
  const counts = new Map<string, number>();
  let row = 0;
  let previous = '';
  for (const segment of segments) {
    row = segment === previous ? row + 1 : 1;
    previous = segment;
    const count = (counts.get(segment) ?? 0) + 1;
    counts.set(segment, count);
    if ((/^\d+$/.test(segment) ? row : count) > mostRepeats) return true;
  }
  return false;
}

const notAPage =
  /\.(?:png|jpe?g|gif|svg|ico|webp|avif|bmp|tiff?|css|m?js|map|json|woff2?|ttf|otf|eot|mp[34]|m4[av]|avi|mov|mkv|webm|wav|ogg|flac|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|msi|dmg|pkg|deb|rpm|apk|iso|bin|jar|wasm|swf)$/i;

/** Whether a path names a file that is no document, by its ending. */
export function isNoDocument(pathname: string): boolean {
  return notAPage.test(pathname);
}

/** Segments of a path, without index pages: how deep it lies. */
export function pathDepth(pathname: string): number {
  return pathname
    .replace(indexPage, '/')
    .split('/')
    .filter((segment) => segment !== '').length;
}

/** Where the pages below a path begin, with a slash at the end: `/docs/index.html` and `/docs` both give `/docs/`. */
export function sectionOf(pathname: string): string {
  return `${pathname.replace(indexPage, '/').replace(/\/+$/, '')}/`;
}
