import { activeVoice } from './active-voice.ts';
import { readDelay, readDepth, readLimit } from './amounts.ts';
import { clausesOf } from './clauses.ts';
import { type Draft, readSentence } from './draft.ts';
import { numbersAsDigits } from './numbers.ts';
import { readSections } from './sections.ts';
import { readReach, readSources, readUrlIdentity } from './switches.ts';

const maxPromptLength = 10_000;

/**
 * Derives crawl parameters from a sentence without a language model. Sets only what the sentence mentions; empty if no
 * rule matches.
 * @param siteUrls known URLs of the site, to find its sections by name
 */
export function parametersByRules(prompt: string, start: URL, siteUrls: readonly string[]): Draft {
  const draft: Draft = {};
  const text = numbersAsDigits(prompt.slice(0, maxPromptLength).normalize('NFKC'));
  const sentences = clausesOf(activeVoice(text)).map(readSentence);
  // From the most specific rule to the least: a rule doesn't see what those before it consumed.
  const rules = [readSources, readUrlIdentity, readDelay, readDepth, readLimit, readReach];
  for (const rule of rules) for (const sentence of sentences) rule(sentence, draft);
  readSections(sentences, start, siteUrls, draft);
  return draft;
}
