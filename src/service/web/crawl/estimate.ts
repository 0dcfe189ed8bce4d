import type { CrawlOptions } from '../../../contract/crawl/crawl-jobs.ts';
import {
  type LeftOutPages,
  type LeftOutReason,
  leftOutLimits,
  leftOutReasons,
} from '../../../contract/crawl/left-out.ts';
import { limits } from '../../../contract/limits.ts';
import { type KnownSite, type MapParts, redirectOf } from './map.ts';
import { listedBy, pathBelow } from './parameters/lists.ts';
import { createLinkFilter } from './scope/link-filter.ts';
import type { PathMatcher } from './scope/path-rules.ts';
import type { Sweeps } from './site/sweeps.ts';

export interface EstimateRequest {
  url: URL;
  options: CrawlOptions;
  team: string;
  signal: AbortSignal;
  /** Whether to look at the site again, whatever is known of it. */
  again?: boolean | undefined;
}

/** What a crawl would get, as far as a look at the site tells. */
export interface Estimate {
  found: number;
  matches: number;
  examples: string[];
  leftOut: LeftOutPages[];
  /** What the crawl would leave out although most of its pages only list that. */
  listed?: LeftOutPages;
  complete: boolean;
  /** Where the start URL redirects to. */
  redirectedTo?: string;
}

/** Returns a function that estimates crawls. It decides which pages match as a crawl does. */
export function createEstimates(
  parts: Pick<MapParts, 'robots' | 'userAgent'> & { matcher: PathMatcher; sweeps: Pick<Sweeps, 'look'> },
): (request: EstimateRequest) => Promise<Estimate> {
  return async (request) => {
    const { url, options, signal } = request;
    const { sitemap, allowSubdomains } = options;
    const { site, isComplete } = await parts.sweeps.look({ ...request, allowSubdomains }, request.again);
    const links = [...site.found.values()].filter(
      (link) => (sitemap !== 'only' && site.linked.has(link)) || (sitemap !== 'skip' && site.listed.has(link)),
    );
    const filter = createLinkFilter(url, options, parts.matcher);
    const target = redirectOf(site, url);
    if (target) filter.scope.extend(target);
    const left = new Map<LeftOutReason, string[]>();
    const leave = (reason: LeftOutReason, page: string) => left.set(reason, [...(left.get(reason) ?? []), page]);
    const matching: string[] = [];
    const outside = new Map<string, OutsidePage>();
    try {
      const { pages } = await filter.pick(
        links.map((link) => link.url),
        0,
      );
      for (const page of pages) {
        if (page.role === 'links') continue;
        // What robots.txt disallows isn't offered. Of what is left out, no other hosts are asked.
        const { origin } = new URL(page.url);
        if ((page.role === undefined || origin === url.origin) && (await isDisallowed(new URL(page.url))))
          leave('robots', page.url);
        else if (page.role !== undefined) {
          leave(page.role, page.url);
          if (page.role === 'include' || page.role === 'section')
            outside.set(pathBelow(page.url, '') ?? '', { url: page.url, reason: page.role });
        } else matching.push(page.url);
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
    const listed = listedOutside(site, matching, outside);
    const matches = Math.min(matching.length, limit);
    return {
      found: matches + leftOut.reduce((total, { count }) => total + count, 0),
      matches,
      examples: matching.slice(0, Math.min(limit, leftOutLimits.examples)),
      leftOut,
      ...(listed && { listed }),
      complete: isComplete,
      ...(target && { redirectedTo: target.href }),
    };

    async function isDisallowed({ origin, pathname, search }: URL): Promise<boolean> {
      if (options.ignoreRobotsTxt) return false;
      const site = { origin, skipTlsVerification: true };
      const robots = await parts.robots.of(site, options.robotsUserAgent ?? parts.userAgent, signal);
      return !robots.allows(pathname + search);
    }
  };
}

/** A page of the site that a crawl leaves out. */
interface OutsidePage {
  url: string;
  reason: LeftOutReason;
}

/** Pages that lists lead to at least. */
const leastListed = 3;

/** Returns the pages that a crawl would leave out although most of the pages that it would get only list them. */
function listedOutside(
  site: KnownSite,
  matching: readonly string[],
  outside: ReadonlyMap<string, OutsidePage>,
): LeftOutPages | undefined {
  if (outside.size === 0) return undefined;
  const lists = listedBy(site);
  const own = matching.map((url) => lists.get(pathBelow(url, '') ?? '')).filter((listed) => listed !== undefined);
  if (own.length * 2 <= matching.length) return undefined;
  const paths = new Set(own.flatMap((listed) => [...listed]));
  const listed = [...paths].flatMap((path) => outside.get(path) ?? []);
  const reason = listed[0]?.reason;
  const alike = listed.filter((page) => page.reason === reason);
  if (reason === undefined || alike.length < leastListed) return undefined;
  const examples = alike.slice(0, leftOutLimits.examples).map(({ url }) => url);
  return { reason, count: alike.length, atLeast: alike.length >= leftOutLimits.counted, examples };
}
