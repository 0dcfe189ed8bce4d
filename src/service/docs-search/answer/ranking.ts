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
  /** From 0 to about 1: how much of what is asked stands in the passage and its headings. */
  score: number;
  /** The part of the question, by weight, that the passage and its headings speak of. */
  coverage: number;
  /** The part of the concepts that tell something, each counted alike, that stand in the passage and its section. */
  share: number;
  /** How well each concept of the query was found in the passage and its headings, 0 to 1. */
  all: number[];
}

/** A row says little by itself: the page's title and the names of the columns tell what it is about. */
const rowPath = 0.75;
const mostCandidates = 400;
/** Of a source with more passages than this, only so many places of words are looked at: the rarest words first. */
const largeSource = 5_000;
const mostPlaces = 20_000;
const fewestTerms = 3;
const sectionShare = 0.18;
/** What a heading that asks the same question adds, to every passage under it and to the first one. */
const headingShare = 0.22;
const leadShare = 0.08;
/** Characters from which on a paragraph is long, and what words count less that stand far from the others in it. */
const longParagraph = 200;
const scatterCost = 0.7;
/** For a list of names where something else is asked. */
const mereListFactor = 0.85;
/** For rows about the field, option or header that the question names as such. */
const namedFactor = 1.15;

/** Sources with more terms than this are not searched for words that a misspelled one may stand for. */
const spellable = 20_000;

/** The vocabulary of several indexes together. */
export function vocabularyOf(sources: readonly SearchIndex[]): Vocabulary {
  return {
    size: sources.reduce((sum, { corpus }) => sum + corpus.passages.length, 0),
    count: (term) => sources.reduce((sum, { counts }) => sum + (counts.get(term) ?? 0), 0),
    *terms() {
      for (const { counts } of sources) if (counts.size <= spellable) yield* counts.keys();
    },
  };
}

/** The passages that speak of what a question is about, best first. */
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
    { combineWith: 'OR', queries: affordable([...byTerm.keys()], source) },
    { boost: fieldWeights, boostTerm: (term) => boosts.get(term) ?? 1 },
  );
  const candidates = found.slice(0, mostCandidates).map(({ id, match }) => {
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
    const score = (base + asked) * kindFactor(passage, source, query) * brevity(passage) * aptness(passage, query);
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

function affordable(terms: string[], { corpus, counts }: SearchIndex): string[] {
  if (corpus.passages.length <= largeSource) return terms;
  const places = (term: string) => counts.get(term) ?? 0;
  let sum = 0;
  return terms
    .sort((one, other) => places(one) - places(other))
    .filter((term, index) => {
      sum += places(term);
      return index < fewestTerms || sum <= mostPlaces;
    });
}

/** How well each concept was found in a passage and its headings. */
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

/** In a long paragraph what is asked should stand together: in two sentences that follow one another, or in the headings. */
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
  return all.map((quality, at) => quality - scatterCost * Math.max(0, quality - (best[at] ?? 0)));
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
 * A row about the very thing that is named is most apt; one whose subject is more special than the question, such as WEBDATA_LLM_API_KEY when a key is asked for, is
 * less apt.
 */
function aptness(passage: Passage, { concepts, wants }: Query): number {
  const { wholes, parts, word } = subjectOf(passage);
  if (parts.length === 0) return 1;
  if (wants.named.includes(word)) return namedFactor;
  const named = Math.max(0, ...wholes.flatMap((form) => concepts.map(({ terms }) => terms.get(form) ?? 0)));
  if (named > 0.6) return named === 1 ? 1.05 : 1;
  const known = parts.filter((part) => concepts.some(({ terms }) => terms.has(part))).length;
  return 0.92 + (0.08 * known) / parts.length;
}

interface Subject {
  /** The one word that it is, in lower case; empty where there are several. */
  word: string;
  /** Its words whole, and the parts of which they are made. */
  wholes: string[];
  parts: string[];
}
const subjects = new WeakMap<Passage, Subject>();

/** What a row is about: the words of its first cell. */
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

/** Whether a passage holds the kind of fact that is asked for. */
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

/** Whether a text has next to nothing but names: it answers who asks which there are, and nobody else. */
function isMereList(text: string): boolean {
  return text.replace(/`[^`]+`/g, '').length < text.length * 0.55 && namesIn(text) > 3;
}

/** Short passages answer more to the point than long ones that happen to have the words. */
function brevity({ text }: Passage): number {
  const words = text.length / 6;
  return 1 / (1 + 0.04 * Math.max(0, Math.log(words / 12)));
}
