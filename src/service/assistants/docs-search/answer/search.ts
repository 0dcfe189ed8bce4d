import type { Passage } from '../index/passages.ts';
import { type Names, namesOf, type SearchIndex, textOf, withNames } from '../index/search-index.ts';
import { formsOf, isStopWord, termsOf, wordsOf } from '../index/words.ts';

/** A word of a question. */
export interface Word {
  /** Its stem and, for an identifier, the stems of its parts. */
  forms: readonly string[];
  /** How rare it is: its inverse document frequency in all texts together. */
  weight: number;
}

/** A passage that may answer a question. */
export interface Hit {
  source: SearchIndex;
  passage: Passage;
  /** MiniSearch's BM25 score. */
  score: number;
}

/** What was found for a question. */
export interface Found {
  words: Word[];
  /** Best first. */
  hits: Hit[];
}

const mostWords = 40;
/** Words that are looked up as misspelled ones. */
const mostMisspelled = 3;
const mostHits = 50;
/** BM25 gives a word at most this many times its rarity, in two fields (k + 1 + d each). */
const most = 2 * (1.2 + 1 + 0.5);

/** Finds the passages for a question by BM25 over text and headings; a section that is called what is asked counts twice. A word is as rare as in all sources together, so that their scores compare. */
export function find(question: string, sources: readonly SearchIndex[]): Found {
  const total = sum(sources.map(({ corpus }) => corpus.passages.length));
  const countOf = (term: string) => sum(sources.map(({ counts }) => counts.get(term) ?? 0));
  let misspelled = 0;
  const words = askedIn(question).map(([whole = '', ...parts]): Word => {
    const isOdd = countOf(whole) === 0 && misspelled++ < mostMisspelled;
    const term = (isOdd && sources.flatMap((source) => nearTo(whole, source))[0]) || whole;
    return { forms: [term, ...parts], weight: rarity(countOf(term), total) };
  });
  const terms = [...new Set(words.flatMap(({ forms }) => forms))];
  const hits = sources.flatMap((source): Hit[] => {
    const { corpus, index, counts, names } = source;
    const queries = [...new Set(withNames(terms, names))];
    const weights = queries.map((term) => rarity(counts.get(term) ?? 0, corpus.passages.length));
    // MiniSearch adds the scores of the terms that it finds and multiplies the sum by their number, which names raise.
    const possible = (most * sum(weights) * queries.length) / terms.length;
    const found = index.search({ combineWith: 'OR', queries }, { tokenize: (term) => [term] });
    const asked = wordingOf(question, names);
    return found.slice(0, mostHits).map(({ id, score }) => {
      const passage = corpus.passages[id] as Passage;
      const wordings = [passage.headings.at(-1) ?? '', ...(passage.asked ?? [])];
      const isAsked = asked !== '' && wordings.some((wording) => wordingOf(wording, names) === asked);
      return { source, passage, score: (score / possible) * (isAsked ? 2 : 1) };
    });
  });
  return { words, hits: hits.sort((one, other) => other.score - one.score) };
}

/** The forms of the words that a question is about, each word once. */
function askedIn(question: string): (readonly string[])[] {
  const words = wordsOf(question).filter((word) => !isStopWord(word));
  return [...new Map(words.map(formsOf).map((forms) => [forms[0], forms])).values()].slice(0, mostWords);
}

/** What texts of the same words have in common. */
function wordingOf(text: string, names?: Names): string {
  const terms = askedIn(text).map(([term = '']) => names?.get(term) ?? term);
  return terms.sort().join(' ');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

function rarity(count: number, total: number): number {
  return Math.log(1 + (total - count + 0.5) / (count + 0.5));
}

/** Returns the terms that a misspelled one may mean, best first: one letter differs or letters are swapped, and the beginning is right, which people seldom get wrong. */
function nearTo(term: string, { index }: SearchIndex): string[] {
  if (term.length < 5 || term.length > 40 || /\d/.test(term)) return [];
  const letters = (word: string) => [...word].sort().join('');
  const near = (fuzzy: number) =>
    index
      .autoSuggest(term, { fuzzy, prefix: false, tokenize: (text) => [text] })
      .flatMap(({ terms }) => terms)
      .filter((other) => other.slice(0, 2) === term.slice(0, 2));
  return [...near(2).filter((other) => letters(other) === letters(term)), ...near(1)];
}

/** Returns how much of the question's weight is in a text, 0 to 1. */
export function shareOf(words: readonly Word[], text: string, { names }: SearchIndex): number {
  const terms = new Set(withNames(termsOf(text), names));
  const has = ({ forms: [term = ''] }: Word) => terms.has(term) || terms.has(names?.get(term) ?? '');
  const weightOf = (some: readonly Word[]) => sum(some.map(({ weight }) => weight));
  return weightOf(words.filter(has)) / (weightOf(words) || 1);
}

/** A word that is only in the text, not in the headings, counts by this much. */
const textOnly = 0.6;

/**
 * Returns how surely the best passage answers the question, from two numbers: the share of the question's weight that was
 * found in it, and its score beside what was possible. Both were weighed on the open questions with known answers (test/fixtures).
 */
export function sureness({ words, hits: [best] }: Found): number {
  if (!best) return 0;
  const { source, passage, score } = best;
  const names = namesOf(source.corpus, passage);
  const share = shareOf(words, `${names}\n${textOf(passage)}`, source);
  return textOnly * share + (1 - textOnly) * shareOf(words, names, source) + score / 2;
}

/** A passage that is less sure than this is no answer. */
export const sure = 0.89;
