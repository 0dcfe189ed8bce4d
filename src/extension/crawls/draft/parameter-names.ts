/** What the contract says of a crawl's parameters: loaded at the first use, never at activation. */
import { crawlOptionsShape } from '../../../contract/crawl-jobs.ts';

export { limits } from '../../../contract/limits.ts';

/** Names of the parameters that a sentence may set. */
export const crawlOptionNames: ReadonlySet<string> = new Set([
  'url',
  'scrapeOptions',
  ...Object.keys(crawlOptionsShape),
]);
