import { type Names, namesOf, rarity, type SearchIndex, sum, withNames } from '../index/search-index.ts';
import { formsOf, isStopWord, termsOf, wordsOf } from '../index/words.ts';

/** What was found for a question. */
export type Found = ReturnType<typeof find>;
/** A word of a question: its stem with, for an identifier, those of its parts, and how rare it is: its inverse document frequency in all texts together. */
export type Word = Found['words'][number];
/** A passage that may answer a question, and its score: the share of the highest BM25 sum that was possible, times the number of terms found, and twice that if it is called what is asked. */
export type Hit = Found['hits'][number];

const mostWords = 40;
/** Words that are looked up as misspelled ones. */
const mostMisspelled = 3;
const mostHits = 50;
/** Beside others, passages of the product's own texts rank by this much of their score: with their other wordings and names of things, they have more of any question. */
const ownBesideOthers = 0.9;

type Ranked = { source: SearchIndex; score: number };

/** Finds the passages for a question, best first, by BM25 over text and headings; a section that is called what is asked counts twice. A word is as rare as in all sources together, so that their scores compare. */
export function find(question: string, sources: readonly SearchIndex[]) {
  const total = sum(sources.map(({ passages }) => passages));
  const countOf = (term: string) => sum(sources.map((source) => source.countOf(term)));
  let misspelled = 0;
  const words = askedIn(question).map(([whole = '', ...parts]) => {
    const isOdd = countOf(whole) === 0 && misspelled++ < mostMisspelled;
    const term = (isOdd && sources.flatMap((source) => nearTo(whole, source))[0]) || whole;
    return { forms: [term, ...parts], weight: rarity(countOf(term), total) };
  });
  const terms = [...new Set(words.flatMap(({ forms }) => forms))];
  const best = sources.flatMap((source) => source.search(terms, mostHits).map((found) => ({ source, ...found })));
  const ranked = ({ source, score }: Ranked) => score * (source.names && sources.length > 1 ? ownBesideOthers : 1);
  const byRank = (one: Ranked, other: Ranked) => ranked(other) - ranked(one);
  const hits = best
    .sort(byRank)
    .slice(0, mostHits)
    .map(({ source, id, score }) => {
      const { page, passage } = source.read(id);
      const asked = wordingOf(question, source.names);
      const wordings = [passage.headings.at(-1) ?? '', ...(passage.asked ?? [])];
      const isAsked = asked !== '' && wordings.some((wording) => wordingOf(wording, source.names) === asked);
      return { source, page, passage, score: score * (isAsked ? 2 : 1) };
    });
  return { words, hits: hits.sort(byRank) };
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

/** Returns the terms that a misspelled one may mean, those of most passages first: a letter is wrong, lost or too much, or two are swapped, and the beginning is right, which people seldom get wrong. */
function nearTo(term: string, source: SearchIndex): string[] {
  if (!/^\p{L}{5,40}$/u.test(term)) return [];
  const forms = [...term.slice(2)].map((letter, at) => {
    const [before, after] = [term.slice(0, at + 2), term.slice(at + 3)];
    return `${before}(?:.?${after}|.${letter}${after}|${after.slice(0, 1)}${letter}${after.slice(1)})`;
  });
  const near = new RegExp(`^(?:${forms.join('|')}|${term}.)$`);
  return source.termsWith(term.slice(0, 2)).filter((other) => near.test(other));
}

/** Returns the words that a text has. */
export function foundIn(words: readonly Word[], text: string, { names }: SearchIndex): Word[] {
  const terms = new Set(withNames(termsOf(text), names));
  return words.filter(({ forms: [term = ''] }) => terms.has(term) || terms.has(names?.get(term) ?? ''));
}

export const weightOf = (words: readonly Word[]) => sum(words.map(({ weight }) => weight));

/** A word that is in a block of the text, but not in the headings, counts by this much: less in the product's own texts, whose headings are worded as questions. */
const textOnly = { own: 0.45, others: 0.7 };
/** The score counts by this much. */
const scoreCounts = 0.7;
/** A passage that is less sure than this is no answer; one whose headings have all that is asked is always one. */
export const sure = 0.98;

/**
 * Returns how surely the best passage answers the question, from two numbers: the share of the question's weight that was
 * found in its headings and one of its blocks, since long texts have most words by chance, and its score.
 * Both were weighed on the open questions with known answers (test/fixtures), and on words of others' texts.
 */
export function sureness({ words, hits: [best] }: Found): number {
  if (!best) return 0;
  const { source, page, passage, score } = best;
  const named = foundIn(words, namesOf(page, passage), source);
  const others = words.filter((word) => !named.includes(word));
  const inText = Math.max(...passage.blocks.map(({ text }) => weightOf(foundIn(others, text, source))));
  return (
    (weightOf(named) + textOnly[source.names ? 'own' : 'others'] * inText) / (weightOf(words) || 1) +
    scoreCounts * score
  );
}
