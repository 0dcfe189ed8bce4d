/** Crawl parameters and limits from the contract. Imported dynamically, never at activation. */
import { crawlOptionsShape } from '../../../contract/crawl/crawl-jobs.ts';

export { limits } from '../../../contract/limits.ts';

/** Names of the parameters that can be set from a sentence. */
export const crawlOptionNames: ReadonlySet<string> = new Set([
  'url',
  'scrapeOptions',
  ...Object.keys(crawlOptionsShape),
]);
