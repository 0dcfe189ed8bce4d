import { leftOutLimits } from '../../../../contract/crawl/left-out.ts';
import { shorten } from '../../../../contract/shorten.ts';
import type { ScrapedPage } from '../../scrape/scrape.ts';
import type { scopeOf } from '../scope/scope.ts';
import { isPartOfList } from '../scope/shapes.ts';
import { identityOf, parseLink, withoutTrackers, withoutVisit } from '../scope/urls.ts';
import type { KnownSite, MappedLink } from './known-site.ts';

/** Characters of all URLs that a map keeps: those of common sites have a third of this. */
const maxCharacters = 30_000_000;

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
  /** Called with each URL that is a part of a list by the query that is ignored. Returns whether it is kept. */
  onPart(url: string): boolean;
}

/** The URLs of a site that a map has found: each page once, however its URL is written. */
export function createFoundUrls(options: FoundUrlsOptions) {
  const { start, scope, limit, ignoreQueryParameters, site, keepsRedirects, onNew, onPart } = options;
  const { found } = site;
  const identity = { ignoreQueryParameters, deduplicateSimilarURLs: true };
  /** Which URL a page is listed for, and others that differ from it only in the query that is ignored, by their identities. */
  const firsts = new Map<string, string>();
  const variants = new Map<string, string>();
  /** The page that a URL redirected to, by that URL. */
  const redirected = new Map<string, string>();

  let characters = 0;
  for (const { url } of found.values()) characters += url.length;

  function keyOf(url: URL): string {
    const key = identityOf(url, identity);
    return redirected.get(key) ?? key;
  }

  /** Notes what is lost without the query of a URL. */
  function noteQuery(url: URL, key: string): void {
    if (characters >= maxCharacters) return;
    const whole = identityOf(url, { ...identity, ignoreQueryParameters: false });
    if (isPartOfList(url)) {
      const part = withoutTrackers(url);
      if (onPart(part)) characters += part.length;
      return;
    }
    const first = firsts.get(key);
    if (first === undefined) {
      firsts.set(key, whole === key ? key : whole);
      if (whole !== key) characters += whole.length;
    } else if (whole !== first && whole !== key && variants.size < leftOutLimits.counted)
      variants.set(whole, withoutTrackers(url));
  }

  return {
    /** Adds a link to those of pages, or of sitemaps. Returns nothing if it isn't of the site, or over the limit. */
    add(link: string, into = site.linked): MappedLink | undefined {
      const url = parseLink(link);
      if (!url || !scope.admits(url)) return undefined;
      const key = keyOf(url);
      if (ignoreQueryParameters) {
        noteQuery(url, key);
        url.search = '';
      }
      const known = found.get(key);
      if (known) into.add(known);
      if (known || found.size >= limit || characters >= maxCharacters) return known;
      const mapped: MappedLink = { url: withoutVisit(url) };
      characters += mapped.url.length;
      found.set(key, mapped);
      into.add(mapped);
      onNew(withoutTrackers(url));
      return mapped;
    },
    /** Characters of all that are kept. */
    get characters(): number {
      return characters;
    },
    /** Whether no more are added. */
    get areFull(): boolean {
      return found.size >= limit || characters >= maxCharacters;
    },
    /** Says that no more are added because of their length. */
    tooLongText: () =>
      characters < maxCharacters
        ? undefined
        : `The URLs of this site are very long: a map has ${maxCharacters / 1e6} million characters of them at most.`,
    /** Says how many URLs aren't listed because they differ from others only in their query. */
    variantsText(): string | undefined {
      const [example] = variants.values();
      if (example === undefined) return undefined;
      const urls =
        variants.size === 1 ? '1 URL that differs from another' : `${variants.size} URLs that differ from others`;
      const some = variants.size < leftOutLimits.counted ? urls : `at least ${urls}`;
      return `ignoreQueryParameters left out ${some} only in the query, such as ${shorten(example)}: set it to false to list all.`;
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
