import type { CrawlOptions } from '../../../contract/crawl-jobs.ts';

/** Crawl parameters that rules fill in one after another. */
export type Draft = Omit<CrawlOptions, 'regexOnFullURL' | 'maxConcurrency'>;

/** A sentence that rules consume piece by piece: what one rule matches is removed for the rules after it. */
export interface Sentence {
  readonly text: string;
  /** Removes and returns the first match. A semicolon takes its place, so that the text around it stays separate. */
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
