import type { Passage, Section } from '../index/passages.ts';
import { type Field, fieldWeights, type SearchIndex } from '../index/search-index.ts';
import type { Concept, Query, Vocabulary } from '../question/query.ts';
import { formsOf, wordsOf } from '../question/terms.ts';
import { headingMatches } from './headings.ts';

/** A passage that may answer a question. */
export interface Hit {
  source: SearchIndex;
  passage: Passage;
  section: Section;
  /** The order of the hits: how well the passage matches, and how high the search ranks it. */
  score: number;
  /** From 0 to about 1: how well the passage and its headings match the question. */
  match: number;
  /** How much of the question, by the weight of its words, is in the passage and its headings. */
  found: number;
}

/** The weight of the path for rows, which say little without the page's title and column names. */
const rowPath = 0.75;
const maxCandidates = 400;
/** In sources with more passages, only this many occurrences of words are considered, rarest words first. */
const largeSource = 5_000;
const maxOccurrences = 20_000;
const minTerms = 3;
/** The share of the search engine's own score, relative to the best passage. */
const engineShare = 0.25;
/** What a passage is under says most about what it is about. */
const searchBoost = { ...fieldWeights, section: 3, path: 3 };
/** The bonus for a heading that matches the question: for each passage under it, and for the first one. */
const headingShare = 0.22;
const leadShare = 0.08;
/** For code when the question doesn't ask for it. */
const codeFactor = 0.55;
/** For rows about a field, option or header that the question names. */
const namedFactor = 1.15;
/** Sources with more terms are not used to correct misspelled words. */
const spellable = 20_000;

/** Returns the combined vocabulary of several indexes. */
export function vocabularyOf(sources: readonly SearchIndex[]): Vocabulary {
  return {
    size: sources.reduce((sum, { corpus }) => sum + corpus.passages.length, 0),
    count: (term) => sources.reduce((sum, { counts }) => sum + (counts.get(term) ?? 0), 0),
    *terms() {
      for (const { counts } of sources) if (counts.size <= spellable) yield* counts.keys();
    },
  };
}

/** Returns the passages that match a question, best first. */
export function rank(query: Query, sources: readonly SearchIndex[]): Hit[] {
  const total = query.concepts.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return [];
  const hits = sources.flatMap((source) => hitsIn(source, query, total));
  return hits.sort((one, other) => other.score - one.score || one.passage.lines[0] - other.passage.lines[0]);
}

function hitsIn(source: SearchIndex, query: Query, total: number): Hit[] {
  const { concepts } = query;
  const byTerm = new Map<string, [concept: number, weight: number][]>();
  const boosts = new Map<string, number>();
  for (const [number, { terms, together, weight }] of concepts.entries()) {
    for (const [term, fit] of [...together.map((word) => [word, 0.3] as const), ...terms]) {
      if (!source.counts.has(term)) continue;
      byTerm.set(term, [...(byTerm.get(term) ?? []), [number, fit]]);
      boosts.set(term, Math.max(boosts.get(term) ?? 0, weight * fit));
    }
  }
  if (byTerm.size === 0) return [];
  const results = source.index.search(
    { combineWith: 'OR', queries: withinBudget([...byTerm.keys()], source) },
    { boost: searchBoost, boostTerm: (term) => boosts.get(term) ?? 1 },
  );
  const candidates = results.slice(0, maxCandidates).map(({ id, match, score }) => {
    const passage = source.corpus.passages[id as number] as Passage;
    return { id: id as number, passage, score, qualities: qualitiesIn(match, byTerm, concepts, passage) };
  });
  const headings = headingMatches(source, candidates, query, total);
  return candidates.map(({ id, passage, score, qualities }) => {
    const found = concepts.reduce((part, { weight }, at) => part + weight * (qualities[at] ?? 0), 0);
    const isLead = source.corpus.passages[id - 1]?.section !== passage.section;
    const asked = (headings.get(passage.section) ?? 0) * (headingShare + (isLead ? leadShare : 0));
    const kind = passage.kind === 'code' && !query.wants.code ? codeFactor : 1;
    const factor = kind * brevityFactor(passage) * subjectFactor(passage, query);
    const match = (found / total + asked) * factor;
    return {
      source,
      passage,
      section: source.corpus.sections[passage.section] as Section,
      score: match + (engineShare * factor * score) / (results[0]?.score ?? 1),
      match,
      found,
    };
  });
}

function withinBudget(terms: string[], { corpus, counts }: SearchIndex): string[] {
  if (corpus.passages.length <= largeSource) return terms;
  const places = (term: string) => counts.get(term) ?? 0;
  let sum = 0;
  return terms
    .sort((one, other) => places(one) - places(other))
    .filter((term, index) => {
      sum += places(term);
      return index < minTerms || sum <= maxOccurrences;
    });
}

/** Returns how well a passage and its headings match each concept: as well as the best of its terms. */
function qualitiesIn(
  match: Readonly<Record<string, string[]>>,
  byTerm: ReadonlyMap<string, [number, number][]>,
  concepts: readonly Concept[],
  { cells }: Passage,
): number[] {
  const weightOf = (field: string) => (cells && field === 'path' ? rowPath : (fieldWeights[field as Field] ?? 0));
  const qualities = concepts.map<number>(({ together }) =>
    together.length > 0 && together.every((term) => term in match) ? 1 : 0,
  );
  for (const [term, fields] of Object.entries(match)) {
    const isOwn = fields.includes('text') || fields.includes('name');
    const factor = Math.max(...fields.map((field) => Math.min(1, weightOf(field))));
    for (const [number, fit] of byTerm.get(term) ?? [])
      qualities[number] = Math.max(qualities[number] ?? 0, fit * factor + (isOwn && fields.length > 1 ? 0.05 : 0));
  }
  return qualities;
}

/**
 * Returns a factor for how well a row's subject fits the question: highest when the question names it, lower when it is
 * more specific than the question, such as WEBDATA_LLM_API_KEY for a question about keys.
 */
function subjectFactor({ cells }: Passage, { concepts, wants }: Query): number {
  const words = wordsOf(cells?.[0] ?? '');
  if (words.length === 0) return 1;
  if (words.length === 1 && wants.named.includes((words[0] ?? '').toLowerCase())) return namedFactor;
  const forms = words.map(formsOf);
  const named = Math.max(0, ...forms.flatMap(([whole = '']) => concepts.map(({ terms }) => terms.get(whole) ?? 0)));
  if (named > 0.6) return named === 1 ? 1.05 : 1;
  const parts = forms.flatMap((all) => (all.length > 1 ? all.slice(1) : all));
  const known = parts.filter((part) => concepts.some(({ terms }) => terms.has(part))).length;
  return 0.92 + (0.08 * known) / parts.length;
}

/** Prefers short passages to long ones that happen to have the words. */
function brevityFactor({ text }: Passage): number {
  const words = text.length / 6;
  return 1 / (1 + 0.04 * Math.max(0, Math.log(words / 12)));
}
