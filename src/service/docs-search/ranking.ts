import type { Passage, Section } from './passages.ts';
import type { Concept, Query, Vocabulary } from './query.ts';
import { type Field, fieldWeights, type SearchIndex } from './search-index.ts';

/** A passage that may answer a question. */
export interface Hit {
  source: SearchIndex;
  passage: Passage;
  section: Section;
  /** From 0 to about 1: how much of what is asked stands in the passage and its headings. */
  score: number;
  /** The part of the question, by weight, that the passage and its headings speak of. */
  coverage: number;
  /** How well each concept of the query was found in the passage's own words, 0 to 1. */
  own: number[];
}

const mostCandidates = 400;
const sectionShare = 0.18;

/** The vocabulary of several indexes together. */
export function vocabularyOf(sources: readonly SearchIndex[]): Vocabulary {
  return {
    size: sources.reduce((sum, { corpus }) => sum + corpus.passages.length, 0),
    count: (term) => sources.reduce((sum, { counts }) => sum + (counts.get(term) ?? 0), 0),
    *terms() {
      for (const { counts } of sources) yield* counts.keys();
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
  for (const [number, { terms, weight }] of concepts.entries()) {
    for (const [term, fit] of terms) {
      if (!source.counts.has(term)) continue;
      byTerm.set(term, [...(byTerm.get(term) ?? []), [number, fit]]);
      boosts.set(term, Math.max(boosts.get(term) ?? 0, weight * fit));
    }
  }
  if (byTerm.size === 0) return [];
  const found = source.index.search(
    { combineWith: 'OR', queries: [...byTerm.keys()] },
    { boost: fieldWeights, boostTerm: (term) => boosts.get(term) ?? 1 },
  );
  const candidates = found.slice(0, mostCandidates).map(({ id, match }) => {
    const passage = source.corpus.passages[id as number] as Passage;
    return { passage, ...judge(match, byTerm, concepts) };
  });
  const sections = bestOfSections(candidates, concepts);
  return candidates.map(({ passage, own, all }) => {
    const sum = (quality: readonly number[]) =>
      concepts.reduce((part, { weight }, at) => part + weight * (quality[at] ?? 0), 0) / total;
    const coverage = sum(all);
    const whole = sum(sections.get(passage.section) ?? []);
    const score =
      ((1 - sectionShare) * coverage + sectionShare * whole) * kindFactor(passage, source, query) * brevity(passage);
    return { source, passage, section: source.corpus.sections[passage.section] as Section, score, coverage, own };
  });
}

/** How well each concept was found, in the passage's own words and with its headings. */
function judge(
  match: Readonly<Record<string, string[]>>,
  byTerm: ReadonlyMap<string, [number, number][]>,
  concepts: readonly Concept[],
): { own: number[]; all: number[] } {
  const own = concepts.map(() => 0);
  const all = concepts.map(() => 0);
  for (const [term, fields] of Object.entries(match)) {
    const inOwn = fields.some((field) => field === 'text' || field === 'name');
    const factor = Math.max(...fields.map((field) => Math.min(1, fieldWeights[field as Field] ?? 0)));
    for (const [number, fit] of byTerm.get(term) ?? []) {
      if (inOwn) own[number] = Math.max(own[number] ?? 0, fit);
      all[number] = Math.max(all[number] ?? 0, fit * factor + (inOwn && fields.length > 1 ? 0.05 : 0));
    }
  }
  return { own, all };
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

/** Whether a passage holds the kind of fact that is asked for. */
function kindFactor(passage: Passage, source: SearchIndex, { wants }: Query): number {
  const { kind, text } = passage;
  let factor = kind === 'code' ? (wants.code ? 1 : 0.7) : 1;
  const columns = passage.group === undefined ? undefined : source.corpus.groups[passage.group]?.columns;
  const cell = (name: string) => passage.cells?.[columns?.findIndex((column) => column.toLowerCase() === name) ?? -1];
  if (wants.number) factor *= /\d/.test(text) ? 1.06 : 0.92;
  if (wants.default) factor *= cell('default') || /\bdefault|\belse\b|none given|without\b/i.test(text) ? 1.08 : 0.93;
  if (wants.unit) factor *= /second|minute|hour|byte|mib|pixel|character/i.test(text) ? 1.06 : 0.93;
  if (wants.status) factor *= /\b[1-5](?:\d\d|xx)\b/.test(text) ? 1.06 : 0.93;
  return factor;
}

/** Short passages answer more to the point than long ones that happen to have the words. */
function brevity({ text }: Passage): number {
  const words = text.length / 6;
  return 1 / (1 + 0.04 * Math.max(0, Math.log(words / 12)));
}
