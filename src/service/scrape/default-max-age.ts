import { isPrivateHost } from '../../contract/addresses.ts';
import { limits } from '../../contract/limits.ts';
import type { ScrapeBody } from '../../contract/scrape.ts';

/** How published clients name themselves in `origin`. */
const clients = /^(js-sdk|python-sdk|py-sdk|java-sdk|go-sdk|rust-sdk|ruby-sdk|php-sdk|dotnet-sdk|elixir-sdk|cli|mcp)\b/;

/**
 * Returns the `maxAge` of a scrape that sets none, in milliseconds: for published clients that of the service they were
 * written for; undefined, which always fetches the page, for other callers and for private hosts, whose pages are being worked on.
 */
export function defaultMaxAge(
  body: Pick<ScrapeBody, 'url' | 'origin' | 'integration' | 'minAge' | 'lockdown' | 'formats'>,
): number | undefined {
  const { url, origin = '', integration, minAge, lockdown, formats } = body;
  const isClient = clients.test(origin) || integration === 'cli';
  // Changes show only in the page as it is now.
  if (formats.some(({ type }) => type === 'changeTracking')) return undefined;
  if (!isClient || minAge !== undefined || lockdown || isPrivateHost(new URL(url).hostname)) return undefined;
  return limits.clientCacheAge;
}
