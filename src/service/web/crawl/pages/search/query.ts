import { wordsOf } from './words.ts';

/** Adjacent words that a page must contain. */
export interface Term {
  /** Folded, at least one. */
  words: string[];
  /** Whether the last word may continue. */
  prefix: boolean;
}

/** Fewer characters than this are searched as a whole word: nearly every page has a word that starts with them. */
const shortestPrefix = 2;
/** Words of a query that count, and of a phrase: each costs about as much as the first, in all pages that have them. */
const maxWords = 32;
const maxPhrase = 16;

/** Returns the terms of a query: words, and "phrases in quotes", each once. All other characters only separate words. */
export function termsOf(query: string): Term[] {
  const terms = new Map<string, Term>();
  let left = maxWords;
  for (const { 0: chunk, 1: phrase, index } of query.matchAll(/"([^"]*)"?|[^\s"]+/g)) {
    const words = wordsOf(phrase ?? chunk)
      .slice(0, Math.min(maxPhrase, left))
      .map(({ folded }) => folded);
    const text = words.join(' ');
    if (words.length === 0 || terms.has(text)) continue;
    left -= words.length;
    // The user may still be typing the last word, but not one that is followed by a quote or space.
    const isLast = index + chunk.length === query.length;
    const typing = phrase === undefined && isLast && /[\p{L}\p{N}\p{M}]$/u.test(chunk);
    terms.set(text, { words, prefix: typing && (words.at(-1)?.length ?? 0) >= shortestPrefix });
  }
  return [...terms.values()];
}

/** Returns the terms as an FTS5 expression. Words are quoted, so nothing in them is syntax. */
export function expressionOf(terms: readonly Term[]): string {
  return terms.map(({ words, prefix }) => `"${words.join(' ')}"${prefix ? ' *' : ''}`).join(' AND ');
}
