import MiniSearch from 'minisearch';
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

/** Incremented when what is stored of sources changes: older indexes are built again. */
export const indexVersion = 6;

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

/** Returns the JSON of an index, which `loadIndex` reads: quicker than to build it again. */
export function storeIndex({ corpus, index, counts }: SearchIndex): string {
  return JSON.stringify({ corpus, index, counts: [...counts] });
}

export function loadIndex(json: string, names?: Names): SearchIndex {
  const { corpus, index, counts } = JSON.parse(json);
  return { corpus, index: MiniSearch.loadJS(index, settings), counts: new Map(counts), names };
}

/** Returns terms, each followed by the name of its group, so that a word itself counts more than another name for it. */
export function withNames(terms: readonly string[], names?: Names): string[] {
  return terms.flatMap((term) => [term, ...(names?.has(term) ? [names.get(term) as string] : [])]);
}

/** The text of a passage. */
export function textOf({ blocks }: Passage): string {
  return blocks.map(({ text }) => text).join('\n');
}

/** What a passage is called: its page's title and its headings, also in other words. */
export function namesOf(corpus: Corpus, passage: Passage): string {
  return [...placeOf(corpus, passage), ...(passage.asked ?? [])].join('\n');
}
