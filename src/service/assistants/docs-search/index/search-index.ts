import type { SqliteFile } from '../../../../storage/storage.ts';
import { createTurn } from '../../../platform/async.ts';
import { type Corpus, type Page, type Passage, placeOf } from './passages.ts';
import { termsOf } from './words.ts';

/** Other names of things: term -> the name of its group. */
export type Names = ReadonlyMap<string, string>;

/** Passages in an SQLite file, of which only those that are found are read. */
export type SearchIndex = ReturnType<typeof openIndex>;

/** Incremented when what is stored of sources changes: older indexes are built again. */
export const indexVersion = 8;

/**
 * A passage has two fields of terms, 0 its text, 1 its page's title with the headings above and their other wordings. `uses`
 * has a number for each field with the term: its place, which is 2 * passage + field, times 256, plus how often it has it, up
 * to 255. `lengths` has how many different terms each field has, by place, and `text` and `headings` their means.
 */
const schema = `
  CREATE TABLE totals (passages INTEGER NOT NULL, text REAL NOT NULL, headings REAL NOT NULL, lengths BLOB NOT NULL);
  CREATE TABLE passages (id INTEGER PRIMARY KEY, page INTEGER NOT NULL, content TEXT NOT NULL);
  CREATE INDEX passages_of_pages ON passages (page);
  CREATE TABLE terms (term TEXT PRIMARY KEY, passages INTEGER NOT NULL, uses BLOB NOT NULL) WITHOUT ROWID`;

/** BM25 with the least that a term counts (BM25+). */
const [k, b, d] = [1.2, 0.7, 0.5];
/** A term counts at most this many times its rarity, in two fields. */
const most = 2 * (k + 1 + d);

/** Stores the index of a corpus in an empty file, in steps that let others run. */
export async function storeIndex(file: SqliteFile, corpus: Corpus, names?: Names): Promise<void> {
  // What is half done is thrown away, so nothing has to be restored. It is on the disk before it replaces another.
  file.exec(`PRAGMA journal_mode = OFF; BEGIN; ${schema}`);
  const addPassage = file.prepare('INSERT INTO passages VALUES (?, ?, ?)');
  const addTerm = file.prepare('INSERT INTO terms VALUES (?, ?, ?)');
  const lengths: number[] = [];
  const uses = new Map<string, number[]>();
  const turn = createTurn();
  for (const [id, passage] of corpus.passages.entries()) {
    if (turn.isOver) await turn.end();
    const page = corpus.pages[passage.page] as Page;
    addPassage.run(id, passage.page, JSON.stringify({ page, passage }));
    for (const text of [textOf(passage), namesOf(page, passage)]) {
      const counts = new Map<string, number>();
      for (const term of withNames(termsOf(text), names)) counts.set(term, (counts.get(term) ?? 0) + 1);
      const place = lengths.push(counts.size) - 1;
      for (const [term, count] of counts) {
        const use = place * 256 + Math.min(count, 255);
        if (!uses.get(term)?.push(use)) uses.set(term, [use]);
      }
    }
  }
  for (const term of [...uses.keys()].sort()) {
    if (turn.isOver) await turn.end();
    const of = uses.get(term) ?? [];
    addTerm.run(term, new Set(of.map((use) => use >> 9)).size, bytesOf(of));
  }
  const total = corpus.passages.length;
  const means = [0, 1].map((field) => sum(lengths.filter((_length, place) => place % 2 === field)) / (total || 1));
  file.prepare('INSERT INTO totals VALUES (?, ?, ?, ?)').run(total, ...means, bytesOf(lengths));
  file.exec('COMMIT');
}

const bytesOf = (numbers: readonly number[]) => new Uint8Array(Uint32Array.from(numbers).buffer);
const numbersIn = (bytes: ArrayLike<number>) => new Uint32Array(Uint8Array.from(bytes).buffer);

/** An index can't be read. Its message is the path of the file. */
export class UnreadableIndex extends Error {}

/** Opens the index in a file. Throws SQLite's errors and those of its content; what it returns throws UnreadableIndex. */
export function openIndex(file: SqliteFile, names?: Names, path = '') {
  function reader<Row, Value>(sql: string, of: (row: Row) => Value): (...values: (string | number)[]) => Value[] {
    const statement = file.prepare(sql);
    return (...values) => {
      try {
        return (statement.all(...values) as Row[]).map(of);
      } catch (cause) {
        throw new UnreadableIndex(path, { cause });
      }
    };
  }

  const { passages: total, lengths, text, headings } = file.prepare('SELECT * FROM totals').get() as Totals;
  if (lengths.length !== 8 * total) throw new Error('Lengths of passages are missing.');
  const [lengthOf, means] = [numbersIn(lengths), [text, headings] as const];
  const counts = reader('SELECT passages FROM terms WHERE term = ?', (row: { passages: number }) => row.passages);
  const usesOf = reader('SELECT uses FROM terms WHERE term = ?', (row: { uses: Uint8Array }) => numbersIn(row.uses));
  const contentOf = ({ content }: { content: string }): Content => JSON.parse(content);
  const withId = reader('SELECT content FROM passages WHERE id = ?', contentOf);
  const ofPage = reader('SELECT content FROM passages WHERE page = ? ORDER BY id', contentOf);
  const between = 'SELECT term FROM terms WHERE term BETWEEN ? AND ? ORDER BY passages DESC, term';
  const termsBetween = reader(between, ({ term }: { term: string }) => term);
  /** Returns how many passages have a term. */
  const countOf = (term: string) => counts(term)[0] ?? 0;

  /** Scores all passages: the scores of their terms in each field, times the number of these terms, since several count more than a frequent one. */
  function scoresFor(terms: readonly string[]): Float64Array {
    const scores = new Float64Array(total);
    const matched = new Uint16Array(total);
    for (const term of terms) {
      const [uses = new Uint32Array()] = usesOf(term);
      const inHeadings = uses.reduce((count, use) => count + ((use >> 8) & 1), 0);
      const rarities = [rarity(uses.length - inHeadings, total), rarity(inHeadings, total)] as const;
      let last = -1;
      for (const use of uses) {
        const id = use >> 9;
        const field = ((use >> 8) & 1) as 0 | 1;
        const count = use & 255;
        const length = (lengthOf[use >> 8] ?? 0) / means[field];
        const frequency = d + (count * (k + 1)) / (count + k * (1 - b + b * length));
        scores[id] = (scores[id] ?? 0) + rarities[field] * frequency;
        if (id !== last) matched[id] = (matched[id] ?? 0) + 1;
        last = id;
      }
    }
    for (let id = 0; id < total; id++) scores[id] = (scores[id] ?? 0) * (matched[id] ?? 0);
    return scores;
  }

  return {
    names,
    passages: total,
    countOf,
    /** Returns the numbers of the best passages for terms, also those as good as the last one, and their scores: beside the highest sum that was possible, times the number of terms found. */
    search(terms: readonly string[], mostFound: number): { id: number; score: number }[] {
      const asked = [...new Set(withNames(terms, names))];
      const scores = scoresFor(asked);
      const least = Math.max(scores.toSorted().at(-mostFound) ?? 0, Number.MIN_VALUE);
      // Names raise the number of terms found.
      const possible = (most * sum(asked.map((term) => rarity(countOf(term), total))) * asked.length) / terms.length;
      const best: { id: number; score: number }[] = [];
      for (let id = 0; id < total; id++) {
        const score = scores[id] ?? 0;
        if (score >= least) best.push({ id, score: score / possible });
      }
      return best;
    },
    /** Reads a passage and its page. */
    read(id: number): Content {
      const [content] = withId(id);
      if (!content) throw new UnreadableIndex(path, { cause: new Error('A passage is missing.') });
      return content;
    },
    /** Returns the passages of a passage's section. */
    sectionOf: ({ page, anchor }: Passage): Passage[] =>
      ofPage(page).flatMap(({ passage }) => (passage.anchor === anchor ? [passage] : [])),
    /** Returns the terms that begin as given, those that most passages have first. */
    termsWith: (first: string): string[] => termsBetween(first, `${first}\u{10ffff}`),
    close: () => file.close(),
  };
}

type Totals = { passages: number; text: number; headings: number; lengths: Uint8Array };
type Content = { page: Page; passage: Passage };

/** How rare a term is that `count` of `total` passages have: its inverse document frequency. */
export function rarity(count: number, total: number): number {
  return Math.log(1 + (total - count + 0.5) / (count + 0.5));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
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
export function namesOf(page: Page, passage: Passage): string {
  return [...placeOf(page, passage), ...(passage.asked ?? [])].join('\n');
}
