/** Crawl parameters from the contract. Imported dynamically, never at activation. */
import { crawlOptionsShape } from '../../../contract/crawl/crawl-jobs.ts';
import { limits } from '../../../contract/limits.ts';

/** Names of the parameters that can be set from a sentence. */
export const crawlOptionNames: ReadonlySet<string> = new Set([
  'url',
  'scrapeOptions',
  ...Object.keys(crawlOptionsShape),
]);

/** Returns the options of a crawl that a watch of its site takes over: its limit is at most that of a watch. */
export function optionsToRepeat(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = Object.entries(options).filter(([name]) => Object.hasOwn(crawlOptionsShape, name));
  const { limit, ...others } = Object.fromEntries(known);
  return { ...others, ...(typeof limit === 'number' && { limit: Math.min(limit, limits.monitors.urls) }) };
}
