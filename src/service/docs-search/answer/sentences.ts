import type { Passage } from '../index/passages.ts';
import type { Concept } from '../question/query.ts';
import { termsOf } from '../question/terms.ts';

/** A sentence of a passage, with the terms that it is found by. */
export interface Sentence {
  text: string;
  terms: ReadonlySet<string>;
}

const known = new WeakMap<Passage, Sentence[]>();

/** Returns the sentences of a paragraph or list item, in order. */
export function sentencesOf(passage: Passage): Sentence[] {
  const found = known.get(passage);
  if (found) return found;
  const sentences = splitSentences(passage.text).map((text) => ({ text, terms: new Set(termsOf(text)) }));
  known.set(passage, sentences);
  return sentences;
}

/** Splits a text after periods, question and exclamation marks before white space, so not within `crawl.page` or `10.5`. */
export function splitSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+(?=[\p{Lu}\p{N}`"'(*\-–]|$)/u)
    .map((sentence) => sentence.trim())
    .filter(Boolean);
}

/** Returns how well a set of terms matches a concept, 0 to 1. */
export function qualityIn(terms: ReadonlySet<string>, concept: Concept): number {
  if (concept.together.length > 0 && concept.together.every((term) => terms.has(term))) return 1;
  let best = 0;
  for (const [term, fit] of concept.terms) if (fit > best && terms.has(term)) best = fit;
  return best;
}
