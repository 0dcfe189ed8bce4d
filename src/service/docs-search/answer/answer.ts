import type { Passage } from '../index/passages.ts';
import { isStopWord, isWeakWord } from '../question/common-words.ts';
import type { Query } from '../question/query.ts';
import { termsOf } from '../question/terms.ts';
import type { Wants } from '../question/wants.ts';
import { confidence, confident, minQuality } from './confidence.ts';
import type { Hit } from './ranking.ts';
import { qualityIn, sentencesOf } from './sentences.ts';

/** An answer composed of passages. */
export interface Composed {
  answer: string;
  /** The passages in the answer, in order. */
  hits: Hit[];
}

/** Maximum words of an answer, unless its first passage alone is longer. */
const budget = 68;
const longestSentenceRun = 48;
const mostPassages = 3;
const mostNames = 30;
/** A further passage must have this share of the best score. */
const nearlyAsGood = 0.7;
/** A concept with this share of the highest weight is a main point; from this quality on it is well covered. */
const mainPoint = 0.6;
const wellCovered = 0.6;
/** The score of a passage that certainly answers the question, mostly by its heading. */
const certain = 1;
const sameWords = 0.7;

/** Composes the answer to a question from sentences and rows; undefined when none answers it. */
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
    if (used.some((other) => saysTheSame(hit, other)) || (!isCompared && answersAnotherQuestion(hit, best, query)))
      continue;
    if (!isCompared && isAboutAnotherSubject(hit, best, query)) continue;
    if (used.length > 0 && !isCompared && !answersByItself(hit, query)) continue;
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

/** When a question compares several names, such as `ttl` and `activityTtl`, returns the best row about each. */
function comparedRows(hits: readonly Hit[], { wants }: Query): Hit[] {
  if (!wants.difference) return [];
  const names = [...new Set(wants.words)];
  const rows = names.flatMap((name) => hits.find(({ passage }) => nameOf(passage) === name) ?? []);
  return rows.length > 1 ? rows : [];
}

function nameOf({ cells }: Passage): string {
  return (cells?.[0] ?? '').replaceAll('`', '').toLowerCase();
}

/** Whether a passage would be the answer if it were the best one, and not only because of its headings. */
function answersByItself(hit: Hit, query: Query): boolean {
  const { wants } = query;
  return confidence(query, hit) >= confident && (wants.fields || wants.list || matchesItself(hit, query));
}

/** Whether a passage matches the question without its headings. */
function matchesItself({ passage }: Hit, { concepts }: Query): boolean {
  const specific = concepts.filter(({ words }) => !isWeakWord(words));
  const terms = new Set(termsOf(passage.text));
  return specific.length === 0 || specific.some((concept) => qualityIn(terms, concept) >= minQuality);
}

/** Lists the names in the first column of a row's table. */
function renderNames({ passage, source }: Hit): string {
  const rows = source.corpus.passages.filter(({ group, cells }) => cells && group === passage.group);
  const column = source.corpus.groups[passage.group ?? -1]?.columns?.[0] ?? '';
  return `${column}: ${rows
    .slice(0, mostNames)
    .map(({ cells }) => cells?.[0])
    .join(', ')}`;
}

/** Whether a passage misses a main point of the question that the best one covers, so that it answers another question. */
function answersAnotherQuestion(hit: Hit, best: Hit, { concepts }: Query): boolean {
  if (best.score < certain) return false;
  const most = Math.max(...concepts.map(({ weight }) => weight));
  return concepts.some(
    ({ weight }, at) =>
      weight >= most * mainPoint && (best.all[at] ?? 0) >= wellCovered && (hit.all[at] ?? 0) < minQuality,
  );
}

/** Whether a row of the same table as the best one is about something that the question doesn't name. */
function isAboutAnotherSubject(hit: Hit, best: Hit, query: Query): boolean {
  const { fields, list } = query.wants;
  const isSameTable = hit.source === best.source && hit.passage.group === best.passage.group;
  if (fields || list || !isSameTable || !hit.passage.cells || !best.passage.cells) return false;
  return namedInSubject(hit, query) < namedInSubject(best, query);
}

/** How much of the question the first cell of a row names. */
function namedInSubject({ passage }: Hit, { concepts }: Query): number {
  const terms = new Set(termsOf(passage.cells?.[0] ?? ''));
  return concepts.reduce((sum, concept) => sum + concept.weight * qualityIn(terms, concept), 0);
}

function saysTheSame(hit: Hit, other: Hit): boolean {
  if (hit.passage.cells && other.passage.cells) return isSameRow(hit.passage.cells, other.passage.cells);
  const [short, long] = [hit.passage.text, other.passage.text].sort((one, two) => one.length - two.length);
  return (
    (long ?? '').includes(short ?? '') || (!hit.passage.cells && !other.passage.cells && isWithin([short], [long]))
  );
}

/** Whether rows say the same in other words, as a guide and the reference do: both have most words of the shorter one. */
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

/** The first code block in the section of the answer. */
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
  if (passage.cells) return query.wants.fields && !matchesItself(hit, query) ? renderNames(hit) : renderRow(hit, query);
  return countWords(passage.text) <= longestSentenceRun ? passage.text : bestSentences(passage, query);
}

function fenced({ text, language = '' }: Passage): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Writes a row as a sentence: its subject, the cell that explains it, and the other cells with the names of their columns. */
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
    (named.length === 1 || named.some(({ column }) => column === '') ? named[0] : undefined);
  if (!explained) {
    const shown = named.filter((cell) => isWorthShowing(cell, wants));
    const cells = (shown.length > 0 ? shown : named).map(({ cell, column }) => `${column}: ${cell}`);
    return `${head}: ${cells.join('; ')}`;
  }
  const others = named
    .filter((other) => other !== explained && isWorthShowing(other, wants))
    .map(({ cell, column }) => `${column.toLowerCase()}: ${cell}`);
  return `${head}: ${explained.cell}${others.length > 0 ? ` (${others.join('; ')})` : ''}`;
}

/** Whether a cell is worth showing: types, and that a field is optional, only when the question asks for them. */
function isWorthShowing({ cell, column }: { cell: string; column: string }, wants: Wants): boolean {
  if (/^type$/i.test(column)) return wants.type || cell.includes('`');
  return wants.required || !/^no$/i.test(cell);
}

/** The sentences of a long paragraph that match the question best, in order. */
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
