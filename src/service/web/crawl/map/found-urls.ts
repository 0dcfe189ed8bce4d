import type { ScrapedPage } from '../../scrape/scrape.ts';
import type { scopeOf } from '../scope/scope.ts';
import { identityOf, parseLink, withoutTrackers } from '../scope/urls.ts';
import type { KnownSite, MappedLink } from './known-site.ts';

export interface FoundUrlsOptions {
  start: URL;
  scope: ReturnType<typeof scopeOf>;
  limit: number;
  ignoreQueryParameters: boolean;
  /** Where they are kept. */
  site: KnownSite;
  /** Whether pages keep the URLs that redirect to them: a sentence about a crawl may name any. */
  keepsRedirects: boolean;
  /** Called with each URL that wasn't known. */
  onNew(url: string): void;
}

/** The URLs of a site that a map has found: each page once, however its URL is written. */
export function createFoundUrls(options: FoundUrlsOptions) {
  const { start, scope, limit, ignoreQueryParameters, site, keepsRedirects, onNew } = options;
  const { found } = site;
  const identity = { ignoreQueryParameters, deduplicateSimilarURLs: true };
  /** The page that a URL redirected to, by that URL. */
  const redirected = new Map<string, string>();

  function keyOf(url: URL): string {
    const key = identityOf(url, identity);
    return redirected.get(key) ?? key;
  }

  return {
    /** Adds a link to those of pages, or of sitemaps. Returns nothing if it isn't of the site, or over the limit. */
    add(link: string, into = site.linked): MappedLink | undefined {
      const url = parseLink(link);
      if (!url || !scope.admits(url)) return undefined;
      if (ignoreQueryParameters) url.search = '';
      const key = keyOf(url);
      const known = found.get(key);
      if (known) into.add(known);
      if (known || found.size >= limit) return known;
      const mapped: MappedLink = { url: withoutTrackers(url) };
      found.set(key, mapped);
      into.add(mapped);
      onNew(mapped.url);
      return mapped;
    },
    find: (url: URL) => found.get(keyOf(url)),
    /** Notes where a page that was read led: that URL is listed instead. */
    redirect(from: string, { finalUrl, statusCode, asksToLogIn }: ScrapedPage): void {
      const isStart = from === start.href;
      const target = parseLink(finalUrl);
      if (target && isStart) scope.extend(target);
      const isListed = target && (isStart || scope.admits(target));
      // A page behind a login has its own URL.
      if (!isListed || (!isStart && (asksToLogIn || statusCode >= 400 || keepsRedirects))) return;
      const [key, targetKey] = [new URL(from), target].map((url) => identityOf(url, identity));
      if (key === undefined || targetKey === undefined || (key === targetKey && !isStart)) return;
      const link = found.get(key);
      if (link) site.linked.delete(link);
      found.delete(key);
      redirected.set(key, targetKey);
    },
  };
}
