import { activeVoice } from './active-voice.ts';
import { readDelay, readDepth, readLimit } from './amounts.ts';
import { clausesOf } from './clauses.ts';
import { type Draft, readSentence } from './draft.ts';
import { numbersAsDigits } from './numbers.ts';
import { readSections } from './sections.ts';
import { readReach, readSameness, readSources } from './switches.ts';

const longestRead = 10_000;

/**
 * Crawl parameters out of a sentence, without a language model: only what it speaks of. Empty where it says nothing
 * that is known here.
 * @param siteUrls what is known of the site, to find its sections by their names
 */
export function parametersByRules(prompt: string, start: URL, siteUrls: readonly string[]): Draft {
  const draft: Draft = {};
  const text = numbersAsDigits(prompt.slice(0, longestRead).normalize('NFKC'));
  const sentences = clausesOf(activeVoice(text)).map(readSentence);
  // From the most specific to the least: what one has understood, the next does not see.
  const rules = [readSources, readSameness, readDelay, readDepth, readLimit, readReach];
  for (const rule of rules) for (const sentence of sentences) rule(sentence, draft);
  readSections(sentences, start, siteUrls, draft);
  return draft;
}
