import MiniSearch, { type AsPlainObject } from 'minisearch';
import { createTurn } from '../../../platform/async.ts';
import { type Corpus, type Passage, placeOf } from './passages.ts';
import { termsOf } from './words.ts';

/** Other names of things: term -> the name of its group. */
export type Names = ReadonlyMap<string, string>;

/** A corpus that can be searched. */
export interface SearchIndex {
  corpus: Corpus;
  index: MiniSearch;
  /** Term -> number of passages that have it. */
  counts: ReadonlyMap<string, number>;
  names?: Names | undefined;
}

/** An index as it is stored. */
export interface StoredIndex {
  version: number;
  corpus: Corpus;
  index: AsPlainObject;
  counts: [term: string, count: number][];
}

/** Incremented when what is stored changes: older indexes are built again. */
export const indexVersion = 5;

/** The fields of a passage: its text, and its page's title with the headings above and their other wordings. They hold terms. */
const settings = {
  fields: ['text', 'place'],
  tokenize: (terms: string) => (terms === '' ? [] : terms.split(' ')),
  processTerm: (term: string) => term,
};

/** Builds the index of a corpus in steps that let others run. */
export async function buildIndex(corpus: Corpus, names?: Names): Promise<SearchIndex> {
  const index = new MiniSearch(settings);
  const counts = new Map<string, number>();
  const turn = createTurn();
  for (const [id, passage] of corpus.passages.entries()) {
    if (turn.isOver) await turn.end();
    const text = withNames(termsOf(textOf(passage)), names);
    const place = withNames(termsOf(namesOf(corpus, passage)), names);
    for (const term of new Set([...text, ...place])) counts.set(term, (counts.get(term) ?? 0) + 1);
    index.add({ id, text: text.join(' '), place: place.join(' ') });
  }
  return { corpus, index, counts, names };
}

export function storeIndex({ corpus, index, counts }: SearchIndex): StoredIndex {
  return { version: indexVersion, corpus, index: index.toJSON(), counts: [...counts] };
}

/** Loads a stored index. Throws when it is of another version. */
export function loadIndex({ version, corpus, index, counts }: StoredIndex, names?: Names): SearchIndex {
  if (version !== indexVersion) throw new Error('The index was written by another version.');
  return { corpus, index: MiniSearch.loadJS(index, settings), counts: new Map(counts), names };
}

/** Returns terms, each followed by the name of its group, so that a word itself counts more than another name for it. */
export function withNames(terms: readonly string[], names?: Names): string[] {
  return terms.flatMap((term) => [term, ...(names?.has(term) ? [names.get(term) as string] : [])]);
}

/** The text of a passage, each table with the name of its first column. */
export function textOf({ blocks }: Passage): string {
  return blocks
    .flatMap(({ column, text }, at) => (column && column !== blocks[at - 1]?.column ? [column, text] : [text]))
    .join('\n');
}

/** What a passage is called: its page's title and its headings, also in other words. */
export function namesOf(corpus: Corpus, passage: Passage): string {
  return [...placeOf(corpus, passage), ...(passage.asked ?? [])].join('\n');
}
