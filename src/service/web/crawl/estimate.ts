import type { CrawlOptions } from '../../../contract/crawl/crawl-jobs.ts';
import {
  type LeftOutPages,
  type LeftOutReason,
  leftOutLimits,
  leftOutReasons,
} from '../../../contract/crawl/left-out.ts';
import { limits } from '../../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import { type MapParts, type MappedSite, mapSite } from './map.ts';
import { createLinkFilter } from './scope/link-filter.ts';
import type { PathMatcher } from './scope/path-rules.ts';

export interface EstimateRequest {
  url: URL;
  options: CrawlOptions;
  team: string;
  signal: AbortSignal;
}

/** What a crawl would get, as far as a look at the site tells. */
export interface Estimate {
  found: number;
  matches: number;
  examples: string[];
  leftOut: LeftOutPages[];
  complete: boolean;
}

/** Maps are kept this long: a crawl's options are edited many times. */
const keptMs = 10 * 60_000;
const maxKept = 20;
const readPages = 40;
const timeoutMs = 20_000;

/** Returns a function that estimates crawls. It decides which pages match as a crawl does, and looks at each site once in a while. */
export function createEstimates(
  parts: MapParts & { matcher: PathMatcher; clock: Pick<Clock, 'monotonic' | 'now'> },
): (request: EstimateRequest) => Promise<Estimate> {
  const maps = new Map<string, { site: Promise<MappedSite>; at: number }>();

  function siteOf({ url, options, team, signal }: EstimateRequest): Promise<MappedSite> {
    const { sitemap = 'include', allowSubdomains = false } = options;
    const key = JSON.stringify([team, url.href, sitemap, allowSubdomains]);
    const known = maps.get(key);
    if (known && parts.clock.monotonic() - known.at < keptMs) return known.site;
    const request = {
      ...{ url, sitemap, team, readPages, wholeDomain: true, includeSubdomains: allowSubdomains },
      ...{ ignoreQueryParameters: false, limit: limits.mapLinks.default, location: undefined },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    };
    const site = mapSite(request, parts).then((mapped) => {
      signal.throwIfAborted();
      if (mapped.links.length === 0 && mapped.failure !== undefined)
        throw new ServiceError(500, messageOf(mapped.failure), { code: 'MAP_FAILED' });
      return mapped;
    });
    maps.set(key, { site, at: parts.clock.monotonic() });
    site.catch(() => maps.delete(key));
    for (const old of [...maps.keys()].slice(0, -maxKept)) maps.delete(old);
    return site;
  }

  return async (request) => {
    const { url, options, signal } = request;
    const { links, stopped } = await siteOf(request);
    const filter = createLinkFilter(url, options, parts.matcher);
    const left = new Map<LeftOutReason, string[]>();
    const leave = (reason: LeftOutReason, page: string) => left.set(reason, [...(left.get(reason) ?? []), page]);
    const matching: string[] = [];
    try {
      const { pages } = await filter.pick(
        links.map((link) => link.url),
        0,
      );
      for (const page of pages) {
        if (page.role === 'links') continue;
        if (page.role !== undefined) leave(page.role, page.url);
        else if (await isDisallowed(new URL(page.url))) leave('robots', page.url);
        else matching.push(page.url);
      }
    } finally {
      filter.dispose();
    }
    const limit = options.limit ?? limits.crawlPages.default;
    for (const page of matching.slice(limit)) leave('limit', page);
    const leftOut = leftOutReasons.flatMap((reason) => {
      const pages = left.get(reason);
      if (!pages) return [];
      const atLeast = pages.length >= leftOutLimits.counted;
      return { reason, count: pages.length, atLeast, examples: pages.slice(0, leftOutLimits.examples) };
    });
    const matches = Math.min(matching.length, limit);
    return {
      found: matches + leftOut.reduce((total, { count }) => total + count, 0),
      matches,
      examples: matching.slice(0, Math.min(limit, leftOutLimits.examples)),
      leftOut,
      complete: stopped === 'complete',
    };

    async function isDisallowed({ origin, pathname, search }: URL): Promise<boolean> {
      if (options.ignoreRobotsTxt) return false;
      const site = { origin, skipTlsVerification: true };
      const robots = await parts.robots.of(site, options.robotsUserAgent ?? parts.userAgent, signal);
      return !robots.allows(pathname + search);
    }
  };
}
