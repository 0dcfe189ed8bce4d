import type { MapBody } from '../../contract/crawl/crawl-jobs.ts';
import { scrapeOptions } from '../../contract/scrape/scrape.ts';
import { messageOf } from '../errors.ts';
import type { AddressPolicy } from '../fetch/address-policy/address-policy.ts';
import type { Fetcher } from '../fetch/fetch.ts';
import type { ScrapedPage, Scraper } from '../scrape/scrape.ts';
import { skipsTlsVerification } from '../scrape/scrape-plan.ts';
import { sitemapsOf } from './run/seeds.ts';
import { scopeOf } from './scope/scope.ts';
import { identityOf, parseLink } from './scope/urls.ts';
import type { RobotsCache } from './site/robots-cache.ts';
import { walkSitemaps } from './site/sitemaps.ts';

/** A URL of a site, with the page's title and description where known. */
export type MappedLink = {
  url: string;
  title?: string;
  description?: string;
};

export interface MappedSite {
  links: MappedLink[];
  warning?: string;
  /** Why the start page failed, if it did. */
  failure?: unknown;
}

export interface MapParts {
  scraper: Pick<Scraper, 'scrape'>;
  fetcher: Pick<Fetcher, 'fetch'>;
  robots: RobotsCache;
  userAgent: string;
}

export type MapRequest = Pick<
  MapBody,
  'sitemap' | 'includeSubdomains' | 'ignoreQueryParameters' | 'limit' | 'location'
> & {
  url: URL;
  team: string;
  signal: AbortSignal;
  /** Checks the requests for pages, in addition to the service's own policy. */
  policy?: AddressPolicy | undefined;
};

/** Sites whose sitemaps and start page list fewer URLs than this are explored further. */
const enoughUrls = 50;
const maxPagesExplored = 30;
const pagesAtATime = 5;

/**
 * Lists the URLs of a site, from its sitemaps, the links on the start page and, if those are few, the links on the
 * pages found so far. Aborting `signal` stops early and returns the URLs found until then.
 */
export async function mapSite(request: MapRequest, parts: MapParts): Promise<MappedSite> {
  const scope = scopeOf(request.url, { allowSubdomains: request.includeSubdomains });
  const identity = { ignoreQueryParameters: request.ignoreQueryParameters, deduplicateSimilarURLs: true };
  const found = new Map<string, MappedLink>();
  const unseen: string[] = [];
  const options = scrapeOptions.parse({
    formats: ['links'],
    storeInCache: false,
    fastMode: true,
    ...(request.location && { location: request.location }),
  });
  const skipTlsVerification = skipsTlsVerification(options);
  let failure: unknown;

  const full = () => found.size >= request.limit || request.signal.aborted;
  function add(link: string): MappedLink | undefined {
    const url = parseLink(link);
    if (!url || !scope.admits(url)) return undefined;
    if (request.ignoreQueryParameters) url.search = '';
    const key = identityOf(url, identity);
    const known = found.get(key);
    if (known || found.size >= request.limit) return known;
    const mapped: MappedLink = { url: url.href };
    found.set(key, mapped);
    unseen.push(url.href);
    return mapped;
  }

  async function visit(url: string): Promise<void> {
    const page = await parts.scraper.scrape({
      url,
      options,
      team: request.team,
      allLinks: true,
      signal: request.signal,
      policy: request.policy,
    });
    if (page.finalUrl !== url && url === request.url.href) {
      const target = parseLink(page.finalUrl);
      if (target) scope.extend(target);
    }
    if (page.statusCode >= 400) throw new Error(`${url} returned status ${page.statusCode}`);
    describe(add(page.finalUrl), page);
    for (const link of page.links) add(link);
  }

  async function readSitemaps(): Promise<void> {
    const sitemaps = await sitemapsOf({ origin: request.url.origin, skipTlsVerification }, parts, request.signal);
    for await (const urls of walkSitemaps(parts.fetcher, sitemaps, request.signal, { skipTlsVerification })) {
      for (const url of urls) add(url);
      if (full()) return;
    }
  }

  async function explore(): Promise<void> {
    let left = maxPagesExplored;
    const seen = new Set([request.url.href]);
    const worker = async () => {
      for (let url = unseen.shift(); url !== undefined && left > 0 && !full(); url = unseen.shift()) {
        if (seen.has(url)) continue;
        seen.add(url);
        const { origin, pathname, search } = new URL(url);
        const robots = await parts.robots.of({ origin, skipTlsVerification }, parts.userAgent, request.signal);
        if (!robots.allows(pathname + search)) continue;
        left--;
        await visit(url).catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: pagesAtATime }, worker));
  }

  try {
    if (request.sitemap !== 'only') {
      add(request.url.href);
      await visit(request.url.href).catch((error: unknown) => {
        request.signal.throwIfAborted();
        failure = error;
      });
    }
    if (request.sitemap !== 'skip') await readSitemaps();
    if (request.sitemap !== 'only' && found.size < Math.min(enoughUrls, request.limit)) await explore();
  } catch (error) {
    if (!request.signal.aborted) throw error;
  }
  if (failure !== undefined && found.size <= 1) return { links: [], failure, warning: messageOf(failure) };
  return {
    links: [...found.values()],
    ...(request.signal.aborted && { warning: 'The timeout was reached before the whole site was mapped.' }),
  };
}

function describe(link: MappedLink | undefined, { document: { metadata } }: ScrapedPage): void {
  if (!link) return;
  if (metadata.title) link.title = metadata.title;
  if (metadata.description) link.description = metadata.description;
}

/** Returns the links that match a search, best match first; all links if none match. */
export function rankLinks(links: readonly MappedLink[], search: string): MappedLink[] {
  const words = (search.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, 50);
  const scored = links.map((link) => {
    const text = decodeUrl(`${link.url} ${link.title ?? ''} ${link.description ?? ''}`).toLowerCase();
    return { link, score: words.filter((word) => text.includes(word)).length };
  });
  const matching = scored.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score);
  return (matching.length > 0 ? matching : scored).map(({ link }) => link);
}

function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
