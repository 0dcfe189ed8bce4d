import MiniSearch, { type AsPlainObject } from 'minisearch';
import { createTurn } from '../../../platform/async.ts';
import { isStopWord } from '../question/common-words.ts';
import { termsOf } from '../question/terms.ts';
import { type Corpus, emptyCorpus, type Passage } from './passages.ts';

/** Indexed fields of a passage and their weights. */
export const fieldWeights = { text: 1, name: 1.1, section: 0.9, asked: 0.8, path: 0.55 } as const;
export type Field = keyof typeof fieldWeights;

/** An index as it is stored. */
export interface StoredIndex {
  version: number;
  corpus: Corpus;
  index: AsPlainObject;
  /** Terms, each followed by the number of passages that contain it. */
  terms: (string | number)[];
}

/** Incremented when the stored format changes: older indexes are rebuilt. */
export const indexVersion = 4;

/** A corpus that can be searched. */
export interface SearchIndex {
  corpus: Corpus;
  /** Term -> number of passages that contain it in any field. */
  counts: Map<string, number>;
  index: MiniSearch<Indexed>;
}

interface Indexed extends Record<Field, string> {
  id: number;
}

const chunkSize = 50;

/** Builds the index of a corpus in steps that do not block the event loop. */
export async function buildIndex(corpus: Corpus): Promise<SearchIndex> {
  const index = createIndex();
  const counts = new Map<string, number>();
  const turn = createTurn();
  for (let start = 0; start < corpus.passages.length; start += chunkSize) {
    if (turn.isOver) await turn.end();
    const documents = corpus.passages
      .slice(start, start + chunkSize)
      .map((passage, offset) => indexed(corpus, passage, start + offset));
    index.addAll(documents);
    for (const document of documents) count(counts, document);
  }
  return { corpus, counts, index };
}

export function emptyIndex(): SearchIndex {
  return { corpus: emptyCorpus(), counts: new Map(), index: createIndex() };
}

export function storeIndex({ corpus, counts, index }: SearchIndex): StoredIndex {
  return { version: indexVersion, corpus, index: index.toJSON(), terms: [...counts].flat() };
}

/** Loads a stored index. Throws when it is of another version. */
export function loadIndex(stored: StoredIndex): SearchIndex {
  if (stored?.version !== indexVersion) throw new Error('The index was written by another version.');
  const counts = new Map<string, number>();
  for (let at = 0; at < stored.terms.length; at += 2)
    counts.set(String(stored.terms[at]), Number(stored.terms[at + 1]));
  return { corpus: stored.corpus, counts, index: MiniSearch.loadJS<Indexed>(stored.index, settings) };
}

const settings = {
  fields: Object.keys(fieldWeights),
  tokenize: indexedTerms,
  processTerm: (term: string) => term,
  searchOptions: { tokenize: (text: string) => [text] },
};

/** Stop words are never looked up, so they are not stored. */
function indexedTerms(text: string): string[] {
  return termsOf(text).filter((term) => !isStopWord(term));
}

function createIndex(): MiniSearch<Indexed> {
  return new MiniSearch<Indexed>(settings);
}

function count(counts: Map<string, number>, { id: _, ...fields }: Indexed): void {
  const terms = new Set(Object.values(fields).flatMap(indexedTerms));
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
}

function indexed(corpus: Corpus, passage: Passage, id: number): Indexed {
  const headings = corpus.sections[passage.section]?.headings ?? [];
  const group = passage.group === undefined ? undefined : corpus.groups[passage.group];
  return {
    id,
    text: passage.cells ? passage.cells.slice(1).join(' ') : passage.text,
    name: passage.cells?.[0] ?? '',
    section: headings.at(-1) ?? '',
    asked: (corpus.sections[passage.section]?.asked ?? []).join(' '),
    path: [...headings.slice(0, -1), ...(group?.columns ?? []), group?.lead ?? ''].join(' '),
  };
}
