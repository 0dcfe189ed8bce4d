import type { Fetcher } from '../../../platform/network/fetch.ts';
import type { ScrapedPage } from '../../scrape/scrape.ts';
import { type WalkOptions, walkSitemaps } from './sitemaps.ts';

const limits = { urls: 5000, files: 1, depth: 0 };
/** Feeds of a page that are read: a site often has one of its posts, one of their comments and one of the section. */
const maxFeeds = 3;

/**
 * Returns where the entries of the feeds lead that a page declares, those on its own host first. A feed that isn't there is
 * passed over.
 * @param mayRead whether a feed may be read now
 */
export async function linksOfFeeds(
  fetcher: Pick<Fetcher, 'fetch'>,
  { feeds = [], finalUrl }: Pick<ScrapedPage, 'feeds' | 'finalUrl'>,
  mayRead: (feed: URL) => Promise<boolean>,
  signal: AbortSignal,
  how: Pick<WalkOptions, 'skipTlsVerification' | 'policy' | 'onLacking'>,
): Promise<string[]> {
  const links: string[] = [];
  const own = feeds.filter((feed) => hostOf(feed) === hostOf(finalUrl));
  for (const feed of [...new Set([...own, ...feeds])].slice(0, maxFeeds)) {
    if (!(await mayRead(new URL(feed)))) continue;
    for await (const urls of walkSitemaps(fetcher, [feed], signal, { ...how, limits, guessed: new Set([feed]) }))
      links.push(...urls);
  }
  return links;
}

const hostOf = (url: string) => new URL(url).host.replace(/^www\./, '');
