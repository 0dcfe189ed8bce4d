import type { Passage } from '../index/passages.ts';
import { isStopWord } from '../question/common-words.ts';
import type { Query } from '../question/query.ts';
import { termsOf } from '../question/terms.ts';
import type { Wants } from '../question/wants.ts';
import { confidence } from './confidence.ts';
import type { Hit } from './ranking.ts';

/** An answer composed of passages. */
export interface Composed {
  answer: string;
  /** The passages in the answer, in order. */
  hits: Hit[];
}

/** Maximum words of an answer, unless its first passage alone is longer. */
const budget = 75;
const mostPassages = 3;
const mostNames = 30;
/** A further passage must have this share of the best score. */
const nearlyAsGood = 0.7;
/** The same for a user's texts, which have no other names: passages that merely share words are unrelated. */
const equallyGood = 0.9;
/** Passages that have this share of the words of the shorter one say the same. */
const sameWords = 0.7;

/** Composes the answer to a question: the best passage, and at most two more; undefined when none answers it. */
export function compose(query: Query, all: readonly Hit[]): Composed | undefined {
  const prose = query.wants.code ? all : all.filter(({ passage }) => passage.kind !== 'code');
  const hits = prose.length > 0 ? prose : all;
  const [best] = hits;
  if (!best || confidence(best) < 0) return undefined;
  const used: Hit[] = [];
  const parts: string[] = [];
  let words = 0;
  // `ttl vs activityTtl`: the rows of a table that the question names.
  const named = hits.filter((hit) => hit === best || isNamedBeside(hit, best, query));
  for (const hit of new Set([best, ...named, ...hits])) {
    if (used.length >= mostPassages || (hit.score < best.score * nearlyAsGood && !named.includes(hit))) break;
    if (used.length > 0 && !named.includes(hit) && !goesWith(hit, best)) continue;
    const text = render(hit, query);
    const length = countWords(text);
    if (used.some((other) => saysTheSame(hit, other)) || (used.length > 0 && words + length > budget)) continue;
    parts.push(text);
    used.push(hit);
    words += length;
  }
  const code = query.wants.code ? codeBeside(best, hits) : undefined;
  if (code) {
    parts.push(render(code, query));
    used.push(code);
  }
  return { answer: parts.join('\n\n'), hits: used };
}

/** Whether a row of the best passage's table is about something else that the question names. */
function isNamedBeside({ source, passage: { cells, group } }: Hit, best: Hit, { concepts }: Query): boolean {
  const name = (cells?.[0] ?? '').replaceAll('`', '').toLowerCase();
  const isBeside = source === best.source && cells !== undefined && group === best.passage.group;
  return isBeside && concepts.some(({ words }) => words.toLowerCase() === name);
}

/** Whether a passage may follow the best one: in a user's texts, only under the same heading. */
function goesWith(hit: Hit, best: Hit): boolean {
  const isOwn = [hit, best].every(({ source, section }) => !/^[a-z]+:/i.test(addressIn(source, section)));
  return isOwn || (hit.section === best.section && hit.score >= best.score * equallyGood);
}

/** The address of a passage's page: a URL, or a path below the product's texts. */
function addressIn({ corpus }: Hit['source'], { page }: Hit['section']): string {
  return corpus.pages[page]?.address ?? '';
}

/** Whether passages say the same, as a guide and the reference do: one has most words of the other. */
function saysTheSame({ passage: one }: Hit, { passage: other }: Hit): boolean {
  if (one.cells && other.cells && one.cells[0] !== other.cells[0]) return false;
  const [few, many] = [one, other]
    .map(({ cells, text }) => new Set(termsOf(cells?.slice(1).join(' ') ?? text).filter((term) => !isStopWord(term))))
    .sort((first, second) => first.size - second.size);
  if (!few || !many) return false;
  return [...few].filter((term) => many.has(term)).length >= few.size * sameWords;
}

/** The first code block in the section of the answer. */
function codeBeside(hit: Hit, hits: readonly Hit[]): Hit | undefined {
  if (hit.passage.kind === 'code') return undefined;
  const passage = hit.source.corpus.passages.find(
    ({ kind, section }) => kind === 'code' && section === hit.passage.section,
  );
  return passage && (hits.find((other) => other.passage === passage) ?? { ...hit, passage });
}

function render(hit: Hit, query: Query): string {
  const { passage } = hit;
  if (passage.kind === 'code') return fenced(passage);
  if (!passage.cells) return passage.text;
  return query.wants.fields && !hasWordOf(passage, query) ? renderNames(hit) : renderRow(hit, query.wants);
}

/** Whether a passage itself has a word of the question, not only its headings. */
function hasWordOf({ text }: Passage, { concepts }: Query): boolean {
  const terms = new Set(termsOf(text));
  return concepts.some((concept) => [...concept.terms.keys()].some((term) => terms.has(term)));
}

/** Lists the names in the first column of a row's table. */
function renderNames({ passage, source }: Hit): string {
  const rows = source.corpus.passages.filter(({ group, cells }) => cells && group === passage.group);
  const column = source.corpus.groups[passage.group ?? -1]?.columns?.[0] ?? '';
  const names = rows.slice(0, mostNames).map(({ cells }) => cells?.[0]);
  return `${column}: ${names.join(', ')}`;
}

function fenced({ text, language = '' }: Passage): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Writes a row: its subject, the cell that explains it, and the other cells with the names of their columns. */
function renderRow({ passage, source, section }: Hit, wants: Wants): string {
  const [subject = '', ...rest] = passage.cells ?? [];
  const columns = passage.group === undefined ? [] : (source.corpus.groups[passage.group]?.columns ?? []);
  const place = section.headings.at(-1) ?? '';
  const head = /^(?:GET|POST|DELETE|PUT|PATCH) \//.test(place) ? `${subject} (${place})` : subject;
  const cells = rest
    .map((cell, index) => ({ cell, column: columns[index + 1] ?? '' }))
    .filter(({ cell }) => cell !== '');
  const explained =
    cells.find(({ column }) => /^(?:meaning|description|when|what|answer|value|$)/i.test(column)) ??
    (cells.length === 1 ? cells[0] : undefined);
  const shown = cells.filter((other) => other !== explained && isWorthShowing(other, wants));
  const named = (explained || shown.length > 0 ? shown : cells).map(({ cell, column }) => {
    const name = explained ? column.toLowerCase() : column;
    return `${name}: ${cell}`;
  });
  if (!explained) return [head, named.join('; ')].filter(Boolean).join(': ');
  return `${head}: ${explained.cell}${named.length > 0 ? ` (${named.join('; ')})` : ''}`;
}

/** Whether a cell is worth showing: types, and that a field is optional, only when the question asks for them. */
function isWorthShowing({ cell, column }: { cell: string; column: string }, wants: Wants): boolean {
  if (/^type$/i.test(column)) return wants.type || cell.includes('`');
  return wants.required || !/^no$/i.test(cell);
}

export function countWords(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}
