import type { Answer } from '../answer/answer.ts';
import type { Excerpt } from '../answer/model-answer.ts';
import type { NewFile } from '../index/source-files.ts';

/** A page of a crawl. */
export interface NewText {
  address: string;
  title?: string | undefined;
  markdown: string;
}

/** What the thread of the indexes is asked to do. `index` is the path of an index's file, `adding` names pages that come bit by bit. */
export type IndexTask =
  | { kind: 'indexFiles'; index: string; files: NewFile[] }
  | { kind: 'addPages'; adding: string; pages: NewText[] }
  | { kind: 'indexPages'; adding: string; index: string }
  | { kind: 'dropPages'; adding: string }
  | { kind: 'load'; index: string }
  | { kind: 'forget'; index: string }
  | { kind: 'ask'; question: string; reference: string; indexes: string[] };

/** How large an index became. */
export interface IndexSize {
  pages: number;
  passages: number;
}

/** What was found for a question. */
export interface Reply {
  /** Undefined when the texts don't answer the question. */
  answer?: Answer | undefined;
  /** The best passages, for a model; none when it need not be asked. */
  excerpts: Excerpt[];
  /** Passages that were searched. */
  searched: number;
  /** Indexes that couldn't be read: they are read again at the next question. */
  unread: { index: string; reason: string }[];
}

export type IndexMessage = { id: number } & ({ result: IndexSize | Reply | undefined } | { failure: string });
