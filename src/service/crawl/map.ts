import type { MapBody } from '../../contract/crawl-jobs.ts';
import { scrapeOptions } from '../../contract/scrape.ts';
import { messageOf } from '../errors.ts';
import type { Fetcher } from '../fetch/fetch.ts';
import type { ScrapedPage, Scraper } from '../scrape/scrape.ts';
import { sitemapsOf } from './run/seeds.ts';
import { scopeOf } from './scope/scope.ts';
import { identityOf, parseLink } from './scope/urls.ts';
import type { RobotsCache } from './site/robots-cache.ts';
import { walkSitemaps } from './site/sitemaps.ts';

/** A URL of a site, with what is known of the page. */
export type MappedLink = {
  url: string;
  title?: string;
  description?: string;
};

export interface MappedSite {
  links: MappedLink[];
  warning?: string;
  /** Why the start page brought nothing, where it did not. */
  failure?: unknown;
}

export interface MapParts {
  scraper: Pick<Scraper, 'scrape'>;
  fetcher: Pick<Fetcher, 'fetch'>;
  robots: RobotsCache;
  userAgent: string;
}

export type MapWish = Pick<
  MapBody,
  'sitemap' | 'includeSubdomains' | 'ignoreQueryParameters' | 'limit' | 'location'
> & {
  url: URL;
  team: string;
  signal: AbortSignal;
};

/** A site whose sitemap and start page name fewer URLs than this is looked at further. */
const enough = 50;
const pagesLookedAt = 30;
const pagesAtATime = 5;

/**
 * Lists the URLs of a site: its sitemaps, the links of the start page and, where those say little, of the pages behind
 * them. An abort of `signal` ends it early with what there is by then.
 */
export async function mapSite(wish: MapWish, parts: MapParts): Promise<MappedSite> {
  const scope = scopeOf(wish.url, { allowSubdomains: wish.includeSubdomains });
  const identity = { ignoreQueryParameters: wish.ignoreQueryParameters, deduplicateSimilarURLs: true };
  const found = new Map<string, MappedLink>();
  const unseen: string[] = [];
  const options = scrapeOptions.parse({
    formats: ['links'],
    storeInCache: false,
    fastMode: true,
    ...(wish.location && { location: wish.location }),
  });
  let failure: unknown;

  const full = () => found.size >= wish.limit || wish.signal.aborted;
  function add(link: string): MappedLink | undefined {
    const url = parseLink(link);
    if (!url || !scope.admits(url)) return undefined;
    if (wish.ignoreQueryParameters) url.search = '';
    const key = identityOf(url, identity);
    const known = found.get(key);
    if (known || found.size >= wish.limit) return known;
    const mapped: MappedLink = { url: url.href };
    found.set(key, mapped);
    unseen.push(url.href);
    return mapped;
  }

  async function lookAt(url: string): Promise<void> {
    const page = await parts.scraper.scrape({ url, options, team: wish.team, signal: wish.signal });
    if (page.finalUrl !== url && url === wish.url.href) {
      const target = parseLink(page.finalUrl);
      if (target) scope.extend(target);
    }
    if (page.statusCode >= 400) throw new Error(`${url} answers ${page.statusCode}`);
    describe(add(page.finalUrl), page);
    for (const link of page.links) add(link);
  }

  async function readSitemaps(): Promise<void> {
    const sitemaps = await sitemapsOf(wish.url, parts, wish.signal);
    for await (const urls of walkSitemaps(parts.fetcher, sitemaps, wish.signal)) {
      for (const url of urls) add(url);
      if (full()) return;
    }
  }

  async function lookFurther(): Promise<void> {
    let left = pagesLookedAt;
    const seen = new Set([wish.url.href]);
    const worker = async () => {
      for (let url = unseen.shift(); url !== undefined && left > 0 && !full(); url = unseen.shift()) {
        if (seen.has(url)) continue;
        seen.add(url);
        const { origin, pathname, search } = new URL(url);
        const robots = await parts.robots.of(origin, parts.userAgent, wish.signal);
        if (!robots.allows(pathname + search)) continue;
        left--;
        await lookAt(url).catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: pagesAtATime }, worker));
  }

  try {
    if (wish.sitemap !== 'only') {
      add(wish.url.href);
      await lookAt(wish.url.href).catch((error: unknown) => {
        wish.signal.throwIfAborted();
        failure = error;
      });
    }
    if (wish.sitemap !== 'skip') await readSitemaps();
    if (wish.sitemap !== 'only' && found.size < Math.min(enough, wish.limit)) await lookFurther();
  } catch (error) {
    if (!wish.signal.aborted) throw error;
  }
  if (failure !== undefined && found.size <= 1) return { links: [], failure, warning: messageOf(failure) };
  return {
    links: [...found.values()],
    ...(wish.signal.aborted && { warning: 'The time was up before the whole site was looked at.' }),
  };
}

function describe(link: MappedLink | undefined, { document: { metadata } }: ScrapedPage): void {
  if (!link) return;
  if (metadata.title) link.title = metadata.title;
  if (metadata.description) link.description = metadata.description;
}

/** Brings the links about the words of a search to the front, those that have the most of them first. */
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
