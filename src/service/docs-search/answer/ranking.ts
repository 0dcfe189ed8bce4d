import type { Passage, Section } from '../index/passages.ts';
import { type Field, fieldWeights, type SearchIndex } from '../index/search-index.ts';
import { isWeakWord } from '../question/common-words.ts';
import type { Concept, Query, Vocabulary } from '../question/query.ts';
import { formsOf, wordsOf } from '../question/terms.ts';
import { headingMatches } from './headings.ts';
import { qualityIn, sentencesOf } from './sentences.ts';

/** A passage that may answer a question. */
export interface Hit {
  source: SearchIndex;
  passage: Passage;
  section: Section;
  /** From 0 to about 1: how well the passage and its headings match the question. */
  score: number;
  /** The share of the question, by weight, that the passage and its headings cover. */
  coverage: number;
  /** The share of the specific concepts, counted equally, that are in the passage and its section. */
  share: number;
  /** How well each concept of the query was found in the passage and its headings, 0 to 1. */
  all: number[];
}

/** The weight of the path for rows, which say little without the page's title and column names. */
const rowPath = 0.75;
const maxCandidates = 400;
/** In sources with more passages, only this many occurrences of words are considered, rarest words first. */
const largeSource = 5_000;
const maxOccurrences = 20_000;
const minTerms = 3;
const sectionShare = 0.18;
/** The bonus for a heading that matches the question: for each passage under it, and for the first one. */
const headingShare = 0.22;
const leadShare = 0.08;
/** Minimum characters of a long paragraph, and how much less words far from the others count in it. */
const longParagraph = 200;
const scatterPenalty = 0.7;
/** For a list of names when the question does not ask for one. */
const mereListFactor = 0.85;
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
  const found = source.index.search(
    { combineWith: 'OR', queries: withinBudget([...byTerm.keys()], source) },
    { boost: fieldWeights, boostTerm: (term) => boosts.get(term) ?? 1 },
  );
  const candidates = found.slice(0, maxCandidates).map(({ id, match }) => {
    const passage = source.corpus.passages[id as number] as Passage;
    return {
      id: id as number,
      passage,
      all: focus(passage, concepts, judge(match, byTerm, concepts, passage.cells !== undefined)),
    };
  });
  const sections = bestOfSections(candidates, concepts);
  const headings = headingMatches(source, candidates, query, total);
  return candidates.map(({ id, passage, all }) => {
    const sum = (quality: readonly number[]) =>
      concepts.reduce((part, { weight }, at) => part + weight * (quality[at] ?? 0), 0) / total;
    const coverage = sum(all);
    const whole = sum(sections.get(passage.section) ?? []);
    const heading = headings.get(passage.section) ?? 0;
    const isLead = source.corpus.passages[id - 1]?.section !== passage.section;
    const base = (1 - sectionShare) * coverage + sectionShare * whole;
    const asked = heading * (headingShare + (isLead ? leadShare : 0));
    const score =
      (base + asked) * kindFactor(passage, source, query) * brevityFactor(passage) * subjectFactor(passage, query);
    const telling = concepts.filter(({ words }) => !isWeakWord(words));
    const share =
      telling.length === 0
        ? 1
        : telling.filter((one) => (sections.get(passage.section)?.[concepts.indexOf(one)] ?? 0) > 0.25).length /
          telling.length;
    return {
      source,
      share,
      passage,
      section: source.corpus.sections[passage.section] as Section,
      score,
      coverage,
      all,
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

/** Returns how well a passage and its headings match each concept. */
function judge(
  match: Readonly<Record<string, string[]>>,
  byTerm: ReadonlyMap<string, [number, number][]>,
  concepts: readonly Concept[],
  isRow: boolean,
): { all: number[]; around: number[] } {
  const weightOf = (field: string) => (isRow && field === 'path' ? rowPath : (fieldWeights[field as Field] ?? 0));
  const all = concepts.map(() => 0);
  const around = concepts.map(() => 0);
  for (const [term, fields] of Object.entries(match)) {
    const inOwn = isOwn(fields);
    const factor = Math.max(...fields.map((field) => Math.min(1, weightOf(field))));
    const outside = Math.max(0, ...fields.filter((field) => !isOwn([field])).map(weightOf));
    for (const [number, fit] of byTerm.get(term) ?? []) {
      around[number] = Math.max(around[number] ?? 0, fit * outside);
      all[number] = Math.max(all[number] ?? 0, fit * factor + (inOwn && fields.length > 1 ? 0.05 : 0));
    }
  }
  for (const [number, { together }] of concepts.entries()) {
    if (together.length === 0 || !together.every((term) => term in match)) continue;
    all[number] = 1;
  }
  return { all, around };
}

/** Lowers the quality of concepts in a long paragraph that are not together in two consecutive sentences or the headings. */
function focus(
  passage: Passage,
  concepts: readonly Concept[],
  { all, around }: { all: number[]; around: number[] },
): number[] {
  if (passage.cells || passage.kind === 'code' || passage.text.length < longParagraph) return all;
  const sentences = sentencesOf(passage);
  if (sentences.length < 3) return all;
  let best: number[] = [];
  let most = -1;
  for (let index = 0; index + 1 < sentences.length; index++) {
    const terms = new Set([...(sentences[index]?.terms ?? []), ...(sentences[index + 1]?.terms ?? [])]);
    const qualities = concepts.map((concept, at) => Math.max(around[at] ?? 0, qualityIn(terms, concept)));
    const sum = qualities.reduce((part, quality, at) => part + quality * (concepts[at]?.weight ?? 0), 0);
    if (sum > most) [most, best] = [sum, qualities];
  }
  return all.map((quality, at) => quality - scatterPenalty * Math.max(0, quality - (best[at] ?? 0)));
}

function isOwn(fields: readonly string[] = []): boolean {
  return fields.includes('text') || fields.includes('name');
}

function bestOfSections(candidates: readonly { passage: Passage; all: number[] }[], concepts: readonly Concept[]) {
  const sections = new Map<number, number[]>();
  for (const { passage, all } of candidates) {
    const best = sections.get(passage.section) ?? concepts.map(() => 0);
    sections.set(
      passage.section,
      best.map((quality, at) => Math.max(quality, all[at] ?? 0)),
    );
  }
  return sections;
}

/**
 * Returns a factor for how well a row's subject fits the question: highest when the question names it, lower when it is
 * more specific than the question, such as WEBDATA_LLM_API_KEY for a question about keys.
 */
function subjectFactor(passage: Passage, { concepts, wants }: Query): number {
  const { wholes, parts, word } = subjectOf(passage);
  if (parts.length === 0) return 1;
  if (wants.named.includes(word)) return namedFactor;
  const named = Math.max(0, ...wholes.flatMap((form) => concepts.map(({ terms }) => terms.get(form) ?? 0)));
  if (named > 0.6) return named === 1 ? 1.05 : 1;
  const known = parts.filter((part) => concepts.some(({ terms }) => terms.has(part))).length;
  return 0.92 + (0.08 * known) / parts.length;
}

interface Subject {
  /** The subject in lower case if it is one word, else empty. */
  word: string;
  /** Its whole words, and their parts. */
  wholes: string[];
  parts: string[];
}
const subjects = new WeakMap<Passage, Subject>();

/** The subject of a row: the words of its first cell. */
function subjectOf(passage: Passage): Subject {
  const known = subjects.get(passage);
  if (known) return known;
  const words = wordsOf(passage.cells?.[0] ?? '');
  const forms = words.map(formsOf);
  const subject = {
    word: words.length === 1 ? (words[0] ?? '').toLowerCase() : '',
    wholes: forms.map(([whole = '']) => whole),
    parts: forms.flatMap((all) => (all.length > 1 ? all.slice(1) : all)),
  };
  subjects.set(passage, subject);
  return subject;
}

/** Returns a factor for whether a passage has the kind of fact that the question asks for. */
function kindFactor(passage: Passage, source: SearchIndex, { wants }: Query): number {
  const { kind, text } = passage;
  let factor = kind === 'code' ? (wants.code ? 0.9 : 0.55) : 1;
  const columns = passage.group === undefined ? undefined : source.corpus.groups[passage.group]?.columns;
  const cell = (name: string) => passage.cells?.[columns?.findIndex((column) => column.toLowerCase() === name) ?? -1];
  if (wants.number) factor *= /\d/.test(text) ? 1.06 : 0.92;
  if (wants.default) factor *= cell('default') || /\bdefault|\belse\b|none given|without\b/i.test(text) ? 1.08 : 0.93;
  if (wants.unit) factor *= /second|minute|hour|byte|mib|pixel|character/i.test(text) ? 1.06 : 0.93;
  if (wants.required) factor *= /^yes$/i.test(cell('required') ?? '') || /\brequired\b/i.test(text) ? 1.08 : 0.95;
  if (wants.list) factor *= (text.match(/,/g)?.length ?? 0) > 1 ? 1.04 : 0.97;
  if (!passage.cells && kind !== 'code' && namesIn(text) > 2) {
    if (wants.fields) factor *= 1.08;
    else if (isMereList(text) && !wants.list && !wants.required) factor *= mereListFactor;
  }
  if (!wants.status && /^[1-5]\d\d$/.test(passage.cells?.[0] ?? '')) factor *= 0.95;
  if (wants.status) factor *= /\b[1-5](?:\d\d|xx)\b/.test(text) ? 1.06 : 0.93;
  return factor;
}

function namesIn(text: string): number {
  return text.match(/`[^`]+`/g)?.length ?? 0;
}

/** Whether a text is little more than a list of names, which answers only questions that ask for the names. */
function isMereList(text: string): boolean {
  return text.replace(/`[^`]+`/g, '').length < text.length * 0.55 && namesIn(text) > 3;
}

/** Prefers short passages to long ones that happen to have the words. */
function brevityFactor({ text }: Passage): number {
  const words = text.length / 6;
  return 1 / (1 + 0.04 * Math.max(0, Math.log(words / 12)));
}
