import { open, readFile, rm } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createTurn } from '../../../platform/async.ts';
import { messageOf } from '../../../platform/errors.ts';
import { collectGarbage } from '../../../platform/system/idle-memory.ts';
import { replaceFile } from '../../../platform/system/rename.ts';
import { answerFrom } from '../answer/answer.ts';
import { excerptsOf } from '../answer/model-answer.ts';
import { find } from '../answer/search.ts';
import { addPage } from '../index/markdown.ts';
import { ownNames } from '../index/own-names.ts';
import { type Corpus, emptyCorpus } from '../index/passages.ts';
import { buildIndex, loadIndex, type SearchIndex, type StoredIndex } from '../index/search-index.ts';
import { mostPassages, readCorpus } from '../index/source-files.ts';
import type { IndexMessage, IndexSize, IndexTask, NewText, Reply } from './tasks.ts';

/** Passages of all indexes that stay in memory; the others are read again when they are needed. */
const { passagesInMemory } = workerData as { passagesInMemory: number };
/** By the path of the file, the one that was used last at the end. */
const loaded = new Map<string, Promise<SearchIndex>>();
/** Pages that were added but not indexed yet. */
const growing = new Map<string, Corpus>();

parentPort?.on('message', async ({ id, task }: { id: number; task: IndexTask }) => {
  try {
    post({ id, result: await run(task) });
  } catch (error) {
    post({ id, failure: messageOf(error) });
  }
});

async function run(task: IndexTask): Promise<IndexSize | Reply | undefined> {
  switch (task.kind) {
    case 'indexFiles':
      return await store(task.index, await readCorpus(task.files));
    case 'addPages':
      return await addPages(task.adding, task.pages);
    case 'indexPages':
      return await store(task.index, growing.get(task.adding) ?? emptyCorpus());
    case 'dropPages':
      growing.delete(task.adding);
      return undefined;
    case 'load':
      return sizeOf((await load(task.index, readIndex)).corpus);
    case 'forget':
      loaded.delete(task.index);
      return await rm(task.index, { force: true }).then(() => undefined);
    case 'ask':
      return await ask(task.question, task.reference, task.indexes);
  }
}

async function addPages(adding: string, pages: readonly NewText[]): Promise<IndexSize> {
  const corpus = growing.get(adding) ?? emptyCorpus();
  growing.set(adding, corpus);
  const turn = createTurn();
  for (const { address, title, markdown } of pages) {
    if (corpus.passages.length > mostPassages) break;
    addPage(corpus, { address, title, anchors: false }, markdown);
    if (turn.isOver) await turn.end();
  }
  return sizeOf(corpus);
}

/** Stores a corpus, if it has text, and keeps its index. */
async function store(path: string, corpus: Corpus): Promise<IndexSize> {
  if (corpus.passages.length > 0) {
    const index = await buildIndex(corpus);
    await replaceFile(path, linesOf(corpus));
    use(path, Promise.resolve(index));
    await forgetOldest();
    tidy(corpus);
  }
  return sizeOf(corpus);
}

async function ask(question: string, reference: string, paths: readonly string[]): Promise<Reply> {
  const unread: Reply['unread'] = [];
  const indexes: SearchIndex[] = [];
  for (const path of [reference, ...paths]) {
    try {
      indexes.push(await load(path, path === reference ? readReference : readIndex));
    } catch (error) {
      unread.push({ index: path, reason: messageOf(error) });
    }
  }
  await forgetOldest();
  const found = find(question, indexes);
  const searched = indexes.reduce((sum, { corpus }) => sum + corpus.passages.length, 0);
  return { answer: answerFrom(question, found), excerpts: excerptsOf(found), searched, unread };
}

/** Returns an index, read unless it is in memory. What couldn't be read, such as while too many files are open, is read again next time. */
async function load(path: string, read: (path: string) => Promise<SearchIndex>): Promise<SearchIndex> {
  const index = loaded.get(path) ?? read(path);
  use(path, index);
  try {
    return await index;
  } catch (error) {
    if (loaded.get(path) === index) loaded.delete(path);
    throw error;
  }
}

function use(path: string, index: Promise<SearchIndex>): void {
  loaded.delete(path);
  loaded.set(path, index);
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

async function readReference(path: string): Promise<SearchIndex> {
  return loadIndex(JSON.parse(await readFile(path, 'utf8')) as StoredIndex, ownNames());
}

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
  const index = await buildIndex(corpus);
  tidy(corpus);
  return index;
}

/** Returns what was only needed to build a large index to the system: nothing else is allocated here until the next question. */
function tidy({ passages }: Corpus): void {
  if (passages.length >= 500) collectGarbage();
}

/** Yields a corpus as lines of JSON: one text would be longer than a string may be. */
function* linesOf(corpus: Corpus): Generator<string> {
  const itemsPerLine = 100;
  for (const [list, items] of Object.entries(corpus)) {
    for (let at = 0; at < items.length; at += itemsPerLine)
      yield `${JSON.stringify([list, items.slice(at, at + itemsPerLine)])}\n`;
  }
}

function sizeOf({ pages, passages }: Corpus): IndexSize {
  return { pages: pages.length, passages: passages.length };
}

function post(message: IndexMessage): void {
  parentPort?.postMessage(message);
}
