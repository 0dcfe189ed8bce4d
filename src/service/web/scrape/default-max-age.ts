import { isPrivateHost } from '../../../contract/addresses.ts';
import { limits } from '../../../contract/limits.ts';
import type { ScrapeBody } from '../../../contract/scrape/scrape.ts';
import { isPublishedClient } from '../../platform/published-clients.ts';

/**
 * Returns the `maxAge` of a scrape that sets none, in milliseconds: for published clients that of the service they were
 * written for; undefined, which always fetches the page, for other callers and for private hosts, whose pages are being worked on.
 */
export function defaultMaxAge(
  body: Pick<ScrapeBody, 'url' | 'origin' | 'integration' | 'minAge' | 'lockdown'>,
): number | undefined {
  const { url, minAge, lockdown } = body;
  if (!isPublishedClient(body) || minAge !== undefined || lockdown || isPrivateHost(new URL(url).hostname))
    return undefined;
  return limits.clientCacheAge;
}
