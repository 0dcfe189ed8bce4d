import type { CrawlOptions } from '../../../contract/crawl/crawl-jobs.ts';
import {
  type LeftOutPages,
  type LeftOutReason,
  leftOutLimits,
  leftOutReasons,
} from '../../../contract/crawl/left-out.ts';
import { createTurn } from '../../platform/async.ts';
import { getOrAdd } from '../../platform/maps.ts';
import { type KnownSite, redirectOf } from './map/known-site.ts';
import { listedBy, pathBelow } from './map/lists.ts';
import type { MapParts } from './map/map.ts';
import { createLinkFilter } from './scope/link-filter.ts';
import type { PathMatcher } from './scope/path-rules.ts';
import type { Sweeps } from './site/sweeps.ts';
import { limitOf } from './store/job-table.ts';

export interface EstimateRequest {
  url: URL;
  options: CrawlOptions;
  team: string;
  signal: AbortSignal;
  /** Whether to look at the site again, whatever is known of it. */
  again?: boolean | undefined;
}

/** Returns a function that tells what a crawl would get, as far as a look at the site tells. It decides which pages match as a crawl does. */
export function createEstimates(
  parts: Pick<MapParts, 'robots'> & { matcher: PathMatcher; sweeps: Pick<Sweeps, 'look'> },
) {
  return async (request: EstimateRequest) => {
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
    const leave = (reason: LeftOutReason, page: string) => getOrAdd(left, reason, () => []).push(page);
    const matching: string[] = [];
    const known = new Set<string>();
    const outside = new Map<string, OutsidePage>();
    try {
      const pages = await filter.pick(
        links.map((link) => link.url),
        0,
      );
      const turn = createTurn();
      for (const page of pages) {
        if (turn.isOver) await turn.end();
        if (page.role === 'links') continue;
        // What robots.txt disallows isn't offered. Of what is left out, no other hosts are asked.
        const { origin } = new URL(page.url);
        if ((page.role === undefined || origin === url.origin) && (await isDisallowed(new URL(page.url))))
          leave('robots', page.url);
        else if (page.role !== undefined) {
          leave(page.role, page.url);
          if (page.role === 'include' || page.role === 'section')
            outside.set(pathBelow(page.url, '') ?? '', { url: page.url, reason: page.role });
        } else if (known.size !== known.add(page.identity).size) matching.push(page.url);
        else if (page.variant?.role === 'query') leave('query', page.url);
      }
    } finally {
      filter.dispose();
    }
    const limit = limitOf({ kind: 'crawl', options });
    for (const page of matching.slice(limit)) leave('limit', page);
    const leftOut = leftOutReasons.flatMap((reason) => leftOutOf(reason, left.get(reason) ?? []) ?? []);
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
      const robots = await parts.robots.of(site, signal, options.robotsUserAgent);
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
  const alike = listed.filter((page) => page.reason === reason).map(({ url }) => url);
  return reason === undefined || alike.length < leastListed ? undefined : leftOutOf(reason, alike);
}

function leftOutOf(reason: LeftOutReason, pages: readonly string[]): LeftOutPages | undefined {
  const { length: count } = pages;
  const { counted, examples } = leftOutLimits;
  return count === 0 ? undefined : { reason, count, atLeast: count >= counted, examples: pages.slice(0, examples) };
}
