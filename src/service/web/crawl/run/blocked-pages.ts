import type { SiteRobots } from '../site/robots-cache.ts';
import type { WaitingPage } from '../store/frontier.ts';
import { failure } from './page-fetch.ts';
import type { Outcome } from './page-store.ts';

/** Returns the outcome of a page that robots.txt disallows, or whose site can't be reached. */
export function blockedPage(page: WaitingPage, robots: SiteRobots): Outcome {
  const error = blockedReason(robots);
  return robots.down === undefined ? { kind: 'blocked', error } : failure(page, robots.down, error);
}

/** Returns why a page is blocked, as a message to show. */
export function blockedReason({ unreachable = 'The site disallows it in its robots.txt.' }: SiteRobots): string {
  return unreachable;
}

/** Returns why none of a site's pages could be crawled, as a message to show. */
export function blockedCrawl({ unreachable = 'Its robots.txt disallows it.' }: Partial<SiteRobots> = {}): string {
  return `The site doesn't allow crawling. ${unreachable} If you have permission to crawl it, set ignoreRobotsTxt.`;
}
