import { isDeepStrictEqual } from 'node:util';
import type { CrawlOptions } from '../../../contract/crawl/crawl-jobs.ts';
import type { ScrapeOptions } from '../../../contract/scrape/scrape.ts';
import { shorten } from '../../../contract/shorten.ts';
import { identityOf, identityRules, parseLink } from './scope/urls.ts';
import type { Job } from './store/job-table.ts';

/** Returns why a crawl can't repeat another one, and what to do; undefined if it can. */
export function whyNotRepeated(
  earlier: Job | undefined,
  team: string,
  { url, options, scrapeOptions }: { url: string; options: CrawlOptions; scrapeOptions: ScrapeOptions },
  now: number,
): string | undefined {
  const without = 'Start the crawl without "since".';
  if (earlier?.kind !== 'crawl') return `there is no crawl with this id. ${without}`;
  if (earlier.team !== team) return `the crawl belongs to another team. ${without}`;
  if (earlier.status === 'scraping') return 'the crawl is still running. Wait until it has ended, or cancel it.';
  if (earlier.expires_at <= now) return `the crawl has expired, so its pages are gone. ${without}`;
  const rules = identityRules(options);
  const [start, before] = [parseLink(url), parseLink(earlier.url)];
  if (!start || !before || identityOf(start, rules) !== identityOf(before, rules))
    return `the crawl started at ${shorten(earlier.url)}. Start this one there too, or without "since".`;
  if (!isDeepStrictEqual(rules, identityRules(earlier.options)))
    return 'the crawl has other values of ignoreQueryParameters or deduplicateSimilarURLs. Use the same ones.';
  if (scrapeOptions.formats.some(({ type }) => type === 'changeTracking'))
    return 'the format changeTracking compares pages too. Leave one of them out.';
  const { timeout: _one, ...wanted } = scrapeOptions;
  const { timeout: _other, ...used } = earlier.scrapeOptions;
  const names = new Set([...Object.keys(wanted), ...Object.keys(used)]) as Set<keyof typeof wanted>;
  const stored = JSON.parse(JSON.stringify(wanted)) as typeof wanted;
  const differing = [...names].filter((name) => !isDeepStrictEqual(stored[name], used[name]));
  if (differing.length > 0)
    return `the crawl has other scrapeOptions: ${differing.join(', ')}. Use the same ones, or start without "since".`;
  return undefined;
}
