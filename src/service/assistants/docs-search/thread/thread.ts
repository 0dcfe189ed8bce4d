import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { openSqliteFile, type SqliteFile } from '../../../../storage/storage.ts';
import { workingFor } from '../../../platform/asker.ts';
import { createTurn } from '../../../platform/async.ts';
import { messageOf } from '../../../platform/errors.ts';
import { collectGarbage } from '../../../platform/system/idle-memory.ts';
import { readWithin } from '../../../platform/system/read-within.ts';
import { renameInUse } from '../../../platform/system/rename.ts';
import { answerFrom } from '../answer/answer.ts';
import { excerptsOf } from '../answer/model-answer.ts';
import { find } from '../answer/search.ts';
import { ownNames } from '../index/own-names.ts';
import { append, type Corpus, emptyCorpus, mostPassages, type NewPage } from '../index/passages.ts';
import { type Names, openIndex, type SearchIndex, storeIndex, sum, UnreadableIndex } from '../index/search-index.ts';
import { maxFileBytes, readPage } from '../index/source-files.ts';
import { createPageReader, TooCostly } from './long-pages.ts';

/** A page of a crawl, or a file of HTML. */
export type NewText = Omit<NewPage, 'anchors'> & { markdown: string };
export type DocsTasks = typeof tasks;
/** A file or page that can't be read, why, and whether that is so as long as it stays as it is. */
export type Unread = { path: string; reason: string; isLasting?: boolean };
/** How large an index is. */
export type IndexSize = ReturnType<typeof sizeOf>;

type Asked = { task: keyof DocsTasks; given: never[]; port: MessagePort; team: string };

/** Pages that were added but not indexed yet. */
const growing = new Map<string, Corpus>();

const read = createPageReader();

/** What the thread is asked to do. `path` is that of an index's file, `adding` names pages that come bit by bit. */
const tasks = {
  /** `folder` is where the files are, without symbolic links; `address` is what evidence has, such as a file's URL. */
  async indexFiles(path: string, folder: string, files: readonly { path: string; address: string }[]) {
    const unread: Unread[] = [];
    const corpus = emptyCorpus();
    for (const { path: file, address } of files) {
      const textOf = async () => (await readWithin(folder, file, maxFileBytes)).toString();
      await readInto(corpus, { address, anchors: true }, textOf, unread);
    }
    return { ...(await store(path, corpus)), unread };
  },
  async addPages(adding: string, pages: readonly NewText[]) {
    const unread: Unread[] = [];
    const corpus = growing.get(adding) ?? emptyCorpus();
    growing.set(adding, corpus);
    const turn = createTurn();
    for (const { markdown, ...page } of pages) {
      await readInto(corpus, { ...page, anchors: false }, async () => markdown, unread);
      if (turn.isOver) await turn.end();
    }
    return { ...sizeOf(corpus), unread };
  },
  async indexPages(path: string, adding: string) {
    const corpus = growing.get(adding) ?? emptyCorpus();
    growing.delete(adding);
    return await store(path, corpus);
  },
  dropPages: async (adding: string) => void growing.delete(adding),
  /** In a thread of its own, if it is long. */
  readPage,
  /** Rejects when the index can't be opened. */
  check: async (path: string) => openStored(path).close(),
  /** At once, so that no question has it open: Windows wouldn't delete it. */
  forget: async (path: string) => rmSync(path, { force: true }),
  /** Searches the indexes; nothing of them stays in memory. Those that can't be read are left out, and tried again at the next question. */
  async ask(question: string, reference: string, paths: readonly string[]) {
    const unread: Unread[] = [];
    for (;;) {
      const readable = [reference, ...paths].filter((path) => !unread.some((one) => one.path === path));
      const indexes: SearchIndex[] = [];
      try {
        for (const path of readable) indexes.push(openStored(path, path === reference ? ownNames() : undefined));
        const found = find(question, indexes);
        const searched = sum(indexes.map(({ passages }) => passages));
        return { answer: answerFrom(question, found), excerpts: excerptsOf(found), searched, unread };
      } catch (error) {
        if (!(error instanceof UnreadableIndex)) throw error;
        unread.push({ path: error.message, reason: messageOf(error.cause) });
      } finally {
        for (const index of indexes) index.close();
      }
    }
  },
};

parentPort?.on('message', async ({ task, given, port, team }: Asked) => {
  try {
    const run = tasks[task] as (...given: never[]) => Promise<unknown>;
    port.postMessage({ result: await workingFor({ team, work: '' }, () => run(...given)) });
  } catch (error) {
    // Copies of errors have no codes, such as those of a full disk.
    const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
    port.postMessage({ failure: messageOf(error), code, errcode });
  }
  port.close();
});

function openStored(path: string, names?: Names): SearchIndex {
  let file: SqliteFile | undefined;
  try {
    file = openSqliteFile(path, { setUp: '', readOnly: true });
    return openIndex(file, names, path);
  } catch (cause) {
    file?.close();
    throw new UnreadableIndex(path, { cause });
  }
}

/** Adds a page to a corpus that has room for it, or to those that can't be read. */
async function readInto(corpus: Corpus, page: NewPage, textOf: () => Promise<string>, unread: Unread[]): Promise<void> {
  if (corpus.passages.length > mostPassages) return;
  try {
    append(corpus, await read(page, await textOf()));
  } catch (error) {
    unread.push({ path: page.address, reason: messageOf(error), isLasting: error instanceof TooCostly });
  }
}

/** Stores the index of a corpus, if it has text. */
async function store(path: string, corpus: Corpus) {
  if (corpus.passages.length > 0) {
    const draft = `${path}.${randomUUID()}.new`;
    try {
      await writeFile(draft, '', { mode: 0o600 });
      const file = openSqliteFile(draft, { setUp: '' });
      await storeIndex(file, corpus).finally(() => file.close());
      await renameInUse(draft, path);
    } finally {
      await rm(draft, { force: true });
    }
    // What was only needed for that, once nothing refers to it: nothing else is allocated here until the next question.
    if (corpus.passages.length >= 500) setImmediate(collectGarbage);
  }
  return sizeOf(corpus);
}

function sizeOf({ pages, passages }: Corpus) {
  return { pages: pages.length, passages: passages.length };
}
