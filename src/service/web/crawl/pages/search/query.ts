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
const maxTerms = 32;
/** Words of a phrase: each costs about as much as the first, in all pages that have them. */
const maxPhrase = 16;

/** Returns the terms of a query: words, and "phrases in quotes". All other characters only separate words. */
export function termsOf(query: string): Term[] {
  const chunks = [...query.matchAll(/"([^"]*)"?|[^\s"]+/g)].map(({ 0: chunk, 1: phrase }) => ({
    words: wordsOf(phrase ?? chunk)
      .slice(0, maxPhrase)
      .map(({ folded }) => folded),
    // The user may still be typing the last word, but not one that is followed by a quote or space.
    open: phrase === undefined,
  }));
  const terms = chunks.filter(({ words }) => words.length > 0).slice(0, maxTerms);
  const typing = /[\p{L}\p{N}\p{M}]$/u.test(query);
  return terms.map(({ words, open }, index) => ({
    words,
    prefix: typing && open && index === terms.length - 1 && (words.at(-1)?.length ?? 0) >= shortestPrefix,
  }));
}

/** Returns the terms as an FTS5 expression. Words are quoted, so nothing in them is syntax. */
export function expressionOf(terms: readonly Term[]): string {
  return terms.map(({ words, prefix }) => `"${words.join(' ')}"${prefix ? ' *' : ''}`).join(' AND ');
}
