import type { Passage } from '../index/passages.ts';
import { isStopWord, isWeakWord } from '../question/common-words.ts';
import type { Query } from '../question/query.ts';
import { termsOf } from '../question/terms.ts';
import type { Wants } from '../question/wants.ts';
import { confidence, confident, leastQuality } from './confidence.ts';
import type { Hit } from './ranking.ts';
import { qualityIn, sentencesOf } from './sentences.ts';

/** An answer put together from what the texts say. */
export interface Composed {
  answer: string;
  /** The passages it rests on, in their order. */
  hits: Hit[];
}

/** Words of an answer, unless its first passage alone is longer. */
const budget = 68;
const longestSentenceRun = 48;
const mostPassages = 4;
const mostNames = 30;
/** A further passage must be nearly as good as the first one. */
const nearlyAsGood = 0.7;
/** A point of the question is a main one with so much of the weight of the weightiest; it is well found from this quality on. */
const mainPoint = 0.6;
const wellFound = 0.6;
/** The score of a passage that answers the question without doubt, mostly by its heading. */
const certain = 1;
const sameWords = 0.7;

/** The sentences and rows that answer a question; undefined when none does. */
export function compose(query: Query, all: readonly Hit[]): Composed | undefined {
  const prose = query.wants.code ? all : all.filter(({ passage }) => passage.kind !== 'code');
  const hits = prose.length > 0 ? prose : all;
  const [best] = hits;
  if (!best || confidence(query, best) < confident) return undefined;
  const parts: string[] = [];
  const used: Hit[] = [];
  let words = 0;
  const compared = comparedRows(hits, query);
  for (const hit of [...compared, ...hits.slice(0, 40)]) {
    if (used.includes(hit)) continue;
    const isCompared = compared.includes(hit);
    if (used.length >= mostPassages || (hit.score < best.score * nearlyAsGood && !isCompared)) break;
    if (used.some((other) => saysTheSame(hit, other)) || (!isCompared && isBeside(hit, best, query))) continue;
    if (used.length > 0 && !isCompared && isMereNeighbour(hit, query)) continue;
    const text = render(hit, query);
    const length = countWords(text);
    if (parts.includes(text) || (used.length > 0 && words + length > budget)) continue;
    parts.push(text);
    used.push(hit);
    words += length;
  }
  const code = query.wants.code ? codeBeside(used[0] ?? best, hits) : undefined;
  if (code) {
    parts.push(render(code, query));
    used.push(code);
  }
  return { answer: parts.join('\n\n'), hits: used };
}

/** Where several names are told apart, such as `ttl` and `activityTtl`: the best row about each. */
function comparedRows(hits: readonly Hit[], { wants }: Query): Hit[] {
  if (!wants.difference) return [];
  const names = [...new Set(wants.words)];
  const rows = names.flatMap((name) => hits.find(({ passage }) => nameOf(passage) === name) ?? []);
  return rows.length > 1 ? rows : [];
}

function nameOf({ cells }: Passage): string {
  return (cells?.[0] ?? '').replaceAll('`', '').toLowerCase();
}

/** Whether a passage says nothing itself of what is asked, and was found by its headings alone. */
function isMereNeighbour(hit: Hit, query: Query): boolean {
  const { wants } = query;
  return !wants.fields && !wants.list && !speaksOf(hit, query);
}

/** Whether a passage itself, without its headings, has something of what is asked. */
function speaksOf({ passage }: Hit, { concepts }: Query): boolean {
  const telling = concepts.filter(({ words }) => !isWeakWord(words));
  const terms = new Set(termsOf(passage.text));
  return telling.length === 0 || telling.some((concept) => qualityIn(terms, concept) >= leastQuality);
}

/** The names in the first column of a row's table, for whoever asks which there are. */
function renderNames({ passage, source }: Hit): string {
  const rows = source.corpus.passages.filter(({ group, cells }) => cells && group === passage.group);
  const column = source.corpus.groups[passage.group ?? -1]?.columns?.[0] ?? '';
  return `${column}: ${rows
    .slice(0, mostNames)
    .map(({ cells }) => cells?.[0])
    .join(', ')}`;
}

/** Whether a passage leaves out a main point of the question that the best one speaks of: it answers another question. */
function isBeside(hit: Hit, best: Hit, { concepts }: Query): boolean {
  if (best.score < certain) return false;
  const most = Math.max(...concepts.map(({ weight }) => weight));
  return concepts.some(
    ({ weight }, at) =>
      weight >= most * mainPoint && (best.all[at] ?? 0) >= wellFound && (hit.all[at] ?? 0) < leastQuality,
  );
}

function saysTheSame(hit: Hit, other: Hit): boolean {
  if (hit.passage.cells && other.passage.cells) return isSameRow(hit.passage.cells, other.passage.cells);
  const [short, long] = [hit.passage.text, other.passage.text].sort((one, two) => one.length - two.length);
  return (
    (long ?? '').includes(short ?? '') || (!hit.passage.cells && !other.passage.cells && isWithin([short], [long]))
  );
}

/** Rows about the same thing in other words, as a guide and the reference have them: most words of the shorter one are in both. */
function isSameRow([subject, ...cells]: string[], [otherSubject, ...otherCells]: string[]): boolean {
  if (subject !== otherSubject) return false;
  return isWithin(cells, otherCells);
}

function isWithin(...texts: (string | undefined)[][]): boolean {
  const [few, many] = texts
    .map((all) => new Set(termsOf(all.join(' ')).filter((term) => !isStopWord(term))))
    .sort((one, another) => one.size - another.size);
  if (!few || !many || few.size === 0) return true;
  return [...few].filter((term) => many.has(term)).length >= few.size * sameWords;
}

/** The first block of code of the section that the answer is from. */
function codeBeside(hit: Hit, hits: readonly Hit[]): Hit | undefined {
  if (hit.passage.kind === 'code') return undefined;
  const passage = hit.source.corpus.passages.find(
    ({ kind, section }) => kind === 'code' && section === hit.passage.section,
  );
  if (!passage) return undefined;
  return hits.find((other) => other.passage === passage) ?? { ...hit, passage };
}

function render(hit: Hit, query: Query): string {
  const { passage } = hit;
  if (passage.kind === 'code') return fenced(passage);
  if (passage.cells) return query.wants.fields && !speaksOf(hit, query) ? renderNames(hit) : renderRow(hit, query);
  return countWords(passage.text) <= longestSentenceRun ? passage.text : bestSentences(passage, query);
}

function fenced({ text, language = '' }: Passage): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A row as a sentence: what it is about, the cell that explains it, the other cells by the names of their columns. */
function renderRow({ passage, source, section }: Hit, { wants }: Query): string {
  const [subject = '', ...rest] = passage.cells ?? [];
  const columns = passage.group === undefined ? [] : (source.corpus.groups[passage.group]?.columns ?? []);
  const place = section.headings.at(-1) ?? '';
  const head = /^(?:GET|POST|DELETE|PUT|PATCH) \//.test(place) ? `${subject} (${place})` : subject;
  const named = rest
    .map((cell, index) => ({ cell, column: columns[index + 1] ?? '' }))
    .filter(({ cell }) => cell !== '');
  if (named.length === 0) return head;
  const explained =
    named.find(({ column }) => /^(meaning|description|when|what|answer|value)/i.test(column)) ??
    named.reduce((one, other) => (other.cell.length > one.cell.length ? other : one));
  const others = named
    .filter((other) => other !== explained && isTelling(other, wants))
    .map(({ cell, column }) => `${column.toLowerCase()}: ${cell}`);
  return `${head}: ${explained.cell}${others.length > 0 ? ` (${others.join('; ')})` : ''}`;
}

/** Types are told to whoever asks for them, and that a field is not required to whoever asks that. */
function isTelling({ cell, column }: { cell: string; column: string }, wants: Wants): boolean {
  if (/^type$/i.test(column)) return wants.type || cell.includes('`');
  return wants.required || !/^no$/i.test(cell);
}

/** The sentences of a long paragraph that speak of the question most, in their order. */
function bestSentences(passage: Passage, { concepts }: Query): string {
  const scored = sentencesOf(passage).map(({ text, terms }, index) => ({
    text,
    index,
    score: concepts.reduce((sum, concept) => sum + concept.weight * qualityIn(terms, concept), 0),
  }));
  const chosen: typeof scored = [];
  let words = 0;
  for (const candidate of scored.toSorted((one, other) => other.score - one.score || one.index - other.index)) {
    const length = countWords(candidate.text);
    if (chosen.length > 0 && words + length > longestSentenceRun) continue;
    chosen.push(candidate);
    words += length;
  }
  return chosen
    .sort((one, other) => one.index - other.index)
    .map(({ text }) => text)
    .join(' ');
}

export function countWords(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}
