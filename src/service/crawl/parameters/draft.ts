import type { CrawlOptions } from '../../../contract/crawl-jobs.ts';

/** Parameters as rules find them one after another. */
export type Draft = Omit<CrawlOptions, 'regexOnFullURL' | 'maxConcurrency'>;

/** A sentence that is read piece by piece: what one rule has understood is taken out for those after it. */
export interface Sentence {
  readonly text: string;
  /** The first match, which is taken out; what stood before and after it does not run together. */
  take(pattern: RegExp): RegExpExecArray | undefined;
}

export function readSentence(text: string): Sentence {
  let rest = text;
  return {
    get text() {
      return rest;
    },
    take(pattern) {
      const match = pattern.exec(rest);
      if (!match) return undefined;
      rest = `${rest.slice(0, match.index)} ; ${rest.slice(match.index + match[0].length)}`;
      return match;
    },
  };
}
