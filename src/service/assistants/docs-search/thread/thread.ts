import { open, readFile, rm } from 'node:fs/promises';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { createTurn } from '../../../platform/async.ts';
import { messageOf } from '../../../platform/errors.ts';
import { collectGarbage } from '../../../platform/system/idle-memory.ts';
import { replaceFile } from '../../../platform/system/rename.ts';
import { answerFrom } from '../answer/answer.ts';
import { excerptsOf } from '../answer/model-answer.ts';
import { find } from '../answer/search.ts';
import { addPage, type NewPage } from '../index/markdown.ts';
import { ownNames } from '../index/own-names.ts';
import { type Corpus, emptyCorpus } from '../index/passages.ts';
import { buildIndex, loadIndex, type SearchIndex } from '../index/search-index.ts';
import { mostPassages, readCorpus } from '../index/source-files.ts';

/** A page of a crawl. */
export type NewText = Omit<NewPage, 'anchors'> & { markdown: string };
export type IndexTasks = typeof tasks;
export type Reply = Awaited<ReturnType<IndexTasks['ask']>>;
/** How large an index is. */
export type IndexSize = ReturnType<typeof sizeOf>;

type Asked = { task: keyof IndexTasks; given: never[]; port: MessagePort };

/** Passages of all indexes that stay in memory; the others are read again when they are needed. */
const passagesInMemory = 50_000;
/** By the path of the file, the one that was used last at the end. */
const loaded = new Map<string, Promise<SearchIndex>>();
/** Pages that were added but not indexed yet. */
const growing = new Map<string, Corpus>();

/** What the thread is asked to do. `path` is that of an index's file, `adding` names pages that come bit by bit. */
const tasks = {
  indexFiles: async (path: string, files: Parameters<typeof readCorpus>[0]) =>
    await store(path, await readCorpus(files)),
  async addPages(adding: string, pages: readonly NewText[]) {
    const corpus = growing.get(adding) ?? emptyCorpus();
    growing.set(adding, corpus);
    const turn = createTurn();
    for (const { markdown, ...page } of pages) {
      if (corpus.passages.length > mostPassages) break;
      addPage(corpus, { ...page, anchors: false }, markdown);
      if (turn.isOver) await turn.end();
    }
    return sizeOf(corpus);
  },
  indexPages: async (path: string, adding: string) => await store(path, growing.get(adding) ?? emptyCorpus()),
  dropPages: async (adding: string) => void growing.delete(adding),
  isReadable: async (path: string) => Boolean(await load(path, readIndex).catch(() => undefined)),
  async forget(path: string) {
    loaded.delete(path);
    await rm(path, { force: true });
  },
  /** Searches the product's own texts and the indexes. Those that couldn't be read are read again at the next question. */
  async ask(question: string, reference: string, paths: readonly string[]) {
    const unread: { path: string; reason: string }[] = [];
    const indexes: SearchIndex[] = [];
    for (const path of [reference, ...paths]) {
      try {
        indexes.push(await load(path, path === reference ? readOwn : readIndex));
      } catch (error) {
        unread.push({ path, reason: messageOf(error) });
      }
    }
    await forgetOldest();
    const found = find(question, indexes);
    const searched = indexes.reduce((sum, { corpus }) => sum + corpus.passages.length, 0);
    return { answer: answerFrom(question, found), excerpts: excerptsOf(found), searched, unread };
  },
};

parentPort?.on('message', async ({ task, given, port }: Asked) => {
  try {
    const run = tasks[task] as (...given: never[]) => Promise<unknown>;
    port.postMessage({ result: await run(...given) });
  } catch (error) {
    // Copies of errors have no code, such as that of a full disk.
    const { code } = (error ?? {}) as { code?: unknown };
    port.postMessage({ failure: messageOf(error), code });
  }
  port.close();
});

/** Stores a corpus, if it has text, and keeps its index. */
async function store(path: string, corpus: Corpus) {
  if (corpus.passages.length > 0) {
    const index = await build(corpus);
    await replaceFile(path, linesOf(corpus));
    loaded.delete(path);
    await load(path, async () => index);
    await forgetOldest();
  }
  return sizeOf(corpus);
}

/** Returns an index, read unless it is in memory. What couldn't be read, such as while too many files are open, is read again next time. */
async function load(path: string, read: (path: string) => Promise<SearchIndex>): Promise<SearchIndex> {
  const index = loaded.get(path) ?? read(path);
  loaded.delete(path);
  loaded.set(path, index);
  try {
    return await index;
  } catch (error) {
    if (loaded.get(path) === index) loaded.delete(path);
    throw error;
  }
}

/** Keeps the indexes that were used last, as many as have no more passages than the budget, and at least one. */
async function forgetOldest(): Promise<void> {
  let passages = 0;
  for (const [path, index] of [...loaded].reverse()) {
    const isFirst = passages === 0;
    passages += await index.then(
      ({ corpus }) => corpus.passages.length,
      () => 0,
    );
    if (!isFirst && passages > passagesInMemory && loaded.get(path) === index) loaded.delete(path);
  }
}

const readOwn = async (path: string) => loadIndex(await readFile(path, 'utf8'), ownNames());

async function readIndex(path: string): Promise<SearchIndex> {
  const corpus = emptyCorpus();
  const file = await open(path);
  try {
    for await (const line of file.readLines()) {
      const [list, items] = JSON.parse(line) as [keyof Corpus, never[]];
      corpus[list].push(...items);
    }
  } finally {
    await file.close();
  }
  if (corpus.passages.length === 0) throw new Error('The file has no passages.');
  return await build(corpus);
}

/** Builds an index, and returns what was only needed for that to the system: nothing else is allocated here until the next question. */
async function build(corpus: Corpus): Promise<SearchIndex> {
  const index = await buildIndex(corpus);
  if (corpus.passages.length >= 500) collectGarbage();
  return index;
}

/** Yields a corpus as lines of JSON: one text would be longer than a string may be. */
function* linesOf(corpus: Corpus): Generator<string> {
  const itemsPerLine = 100;
  for (const [list, items] of Object.entries(corpus)) {
    for (let at = 0; at < items.length; at += itemsPerLine)
      yield `${JSON.stringify([list, items.slice(at, at + itemsPerLine)])}\n`;
  }
}

function sizeOf({ pages, passages }: Corpus) {
  return { pages: pages.length, passages: passages.length };
}
