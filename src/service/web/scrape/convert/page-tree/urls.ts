import { decodeHTMLAttribute } from 'entities';
import { routeOf } from '../../../../../contract/addresses.ts';
import { encodeQuery } from './query-encoding.ts';

/** Resolves the URLs in one page's attributes. */
export type PageUrls = ReturnType<typeof createPageUrls>;

/** Schemes that run something where a link is followed: scripts, and commands of VS Code, whose editor shows what was read. */
const running = ['javascript:', 'vbscript:', 'command:'];

/** @param address the page's URL; empty for files, which have none: their relative URLs stay as they are */
export function createPageUrls(address: string, encoding = 'utf-8') {
  const pageUrl = address || undefined;
  /** The page's own URL; undefined for files. */
  const own = URL.parse(address) ?? undefined;
  let base = pageUrl;
  let baseIsSet = false;
  const resolved = new Map<string, URL | null>();
  const links = new Map<string, string | undefined>();

  /** Returns an absolute URL; undefined if it isn't valid. */
  const resolve = (written: string): URL | undefined => {
    const known = resolved.get(written);
    if (known !== undefined) return known ?? undefined;
    const text = written.includes('&') ? decodeHTMLAttribute(written) : written;
    let url = URL.parse(text, base);
    if (encoding !== 'utf-8' && url && isWeb(url)) url = URL.parse(encodeQuery(text, encoding), base);
    resolved.set(written, url);
    return url ?? undefined;
  };

  const isWeb = (url: URL | undefined) => url?.protocol === 'http:' || url?.protocol === 'https:';

  return {
    own,
    resolve,
    /** Whether a URL is that of the page itself or of one above it, maybe without some of its parameters. */
    isOwn(written: string): boolean {
      const url = resolve(written);
      const path = url?.pathname.replace(/\/*$/, '/') ?? '';
      if (!url || url.host !== own?.host || routeOf(url.hash) !== routeOf(own.hash)) return false;
      const isOfPage = ([name, value]: [string, string]) => own.searchParams.has(name, value);
      return `${own.pathname}/`.startsWith(path) && [...url.searchParams].every(isOfPage);
    },
    /** Returns an absolute http(s) URL with its fragment; undefined for anything else. */
    target(written: string): string | undefined {
      const url = resolve(written);
      return isWeb(url) ? url?.href : undefined;
    },
    /** Sets the page's `base`: only the first one counts, and none if that isn't an http(s) URL. */
    setBase(written: string): void {
      if (baseIsSet) return;
      baseIsSet = true;
      const url = URL.parse(decodeHTMLAttribute(written), pageUrl);
      if (!url || !isWeb(url)) return;
      base = url.href;
      resolved.clear();
      links.clear();
    },
    /** Returns an absolute http(s) URL without its fragment, unless that is a route; undefined for anything else. */
    link(written: string): string | undefined {
      if (links.has(written)) return links.get(written);
      const url = resolve(written);
      let link: string | undefined;
      if (url && isWeb(url)) {
        const { href } = url;
        const hash = href.indexOf('#');
        link = hash === -1 ? href : href.slice(0, hash) + routeOf(href.slice(hash));
      }
      links.set(written, link);
      return link;
    },
    /** Returns the URL for the content: absolute if possible, otherwise as written; undefined for those that run something. */
    shown(written: string): string | undefined {
      const url = resolve(written);
      if (!url) return written;
      return running.includes(url.protocol) ? undefined : url.href;
    },
  };
}

/** Longest delay of a refresh that is followed, in seconds. */
const maxRefreshSeconds = 5;

/** Returns where a refresh leads soon, as a `meta` element or a `Refresh` header has it. */
export function refreshTarget(content = ''): string | undefined {
  const [, seconds, written] = /^\s*(\d{1,9})(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(content) ?? [];
  return written !== undefined && Number(seconds) <= maxRefreshSeconds ? written.trim() : undefined;
}

/** Returns the URLs of a `srcset`, largest image first. */
export function srcsetUrls(srcset: string): string[] {
  const candidates: { url: string; size: number }[] = [];
  for (const [, url = '', size = '1'] of srcset.matchAll(
    /\s*([^\s,]\S*[^\s,]|[^\s,])(?:\s+([\d.]+)[wx])?\s*(?:,|$)/g,
  )) {
    candidates.push({ url, size: Number(size) });
    if (candidates.length === 50) break;
  }
  return candidates.sort((one, other) => other.size - one.size).map(({ url }) => url);
}
