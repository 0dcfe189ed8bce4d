import type { CrawlOptions } from '../../../contract/crawl/crawl-jobs.ts';

/** Crawl parameters that rules fill in one after another. */
export type Draft = Omit<CrawlOptions, 'regexOnFullURL' | 'maxConcurrency'>;

/** Crawl parameters derived from a sentence, and the parts of the sentence that no parameter expresses. */
export interface Derived {
  parameters: Draft;
  notUnderstood: string[];
}
