import type { Fetcher } from '../../../platform/network/fetch.ts';
import type { ScrapedPage } from '../../scrape/scrape.ts';
import type { SiteRobots } from './robots-cache.ts';
import { type WalkOptions, walkSitemaps } from './sitemaps.ts';

const limits = { urls: 5000, files: 1, depth: 0 };
/** Feeds of a page that are read: a site often has one of its posts, one of their comments and one of the section. */
const maxFeeds = 3;

/**
 * Returns where the entries of the feeds lead that a page declares, those on its own host first. A feed that isn't there is
 * passed over.
 * @param rulesAgainst returns the rules of its site that disallow a feed, once it is its turn to be read
 */
export async function linksOfFeeds(
  fetcher: Pick<Fetcher, 'fetch'>,
  { feeds = [], finalUrl }: Pick<ScrapedPage, 'feeds' | 'finalUrl'>,
  rulesAgainst: (feed: URL) => Promise<SiteRobots | undefined>,
  signal: AbortSignal,
  how: Pick<WalkOptions, 'skipTlsVerification' | 'policy' | 'beforeLarge' | 'onLacking'>,
): Promise<string[]> {
  const links: string[] = [];
  const own = feeds.filter((feed) => hostOf(feed) === hostOf(finalUrl));
  for (const feed of [...new Set([...own, ...feeds])].slice(0, maxFeeds)) {
    const rules = await rulesAgainst(new URL(feed));
    if (rules?.unreachable)
      how.onLacking?.(feed, `it isn't known whether it may be read. ${rules.unreachable.replace(/\.$/, '')}`);
    if (rules) continue;
    for await (const urls of walkSitemaps(fetcher, [feed], signal, { ...how, limits, guessed: new Set([feed]) }))
      links.push(...urls);
  }
  return links;
}

const hostOf = (url: string) => new URL(url).host.replace(/^www\./, '');
