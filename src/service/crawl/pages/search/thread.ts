import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { textOfKey } from '../../../../contract/page-order.ts';
import type { ScrapeDocument } from '../../../../contract/scrape.ts';
import { messageOf } from '../../../errors.ts';
import { findMatches } from './matches.ts';
import { expressionOf, termsOf } from './query.ts';
import { deleteSearchIndex, type IndexedPage, openSearchIndex } from './search-index.ts';
import type { SearchAnswer, SearchedJob, SearchMessage, SearchRequest, SearchTask, SearchThreadData } from './tasks.ts';

/** How long a search waits for its pages to be indexed before it returns what it finds. */
const patienceMs = 1500;
/** Documents indexed in one transaction: the maximum number of them, and of their characters. */
const slice = { count: 50, characters: 2_000_000 };
const sweepCount = 500;
/** Longer texts are indexed only as far as this. */
const maxText = 4 * 1024 * 1024;

const paths = workerData as SearchThreadData;
const source = new DatabaseSync(paths.database, { readOnly: true });
let index = openSearchIndex(paths.index);
const nextPages = source.prepare(
  `SELECT page.id AS row, place, folder || name AS url, title, document
   FROM crawl_page AS page JOIN crawl_document ON crawl_document.job = page.job AND crawl_document.seq = page.seq
   WHERE page.job = ? AND place > ? AND state = 1 ORDER BY place LIMIT ${slice.count}`,
);
const documentOf = source.prepare(
  `SELECT document FROM crawl_page AS page JOIN crawl_document ON crawl_document.job = page.job AND crawl_document.seq = page.seq
   WHERE page.id = ?`,
);
const exists = source.prepare('SELECT 1 FROM crawl_job WHERE id = ?');

/** Jobs to index, by id. */
const waiting = new Map<string, { job: SearchedJob; team: string }>();
const tasks: SearchTask[] = [];
let working = false;

parentPort?.on('message', (task: SearchTask) => {
  tasks.push(task);
  if (!working) void work();
});

/** Does the pending work: tasks first, then indexing, slice by slice. */
async function work(): Promise<void> {
  working = true;
  for (;;) {
    const task = tasks.shift();
    if (task) await run(task);
    else if (!indexInBackground()) break;
    // Lets new tasks in.
    await new Promise(setImmediate);
  }
  working = false;
  post({ kind: 'idle' });
}

async function run(task: SearchTask): Promise<void> {
  if (task.kind === 'index') return enqueue(task.jobs, task.team);
  if (task.kind === 'sweep') return sweep();
  try {
    post({ kind: 'answer', id: task.id, answer: await withIndex(() => search(task.request)) });
  } catch (error) {
    post({ kind: 'failure', id: task.id, message: messageOf(error) });
  }
}

/** Replaces a damaged index with a new one, and retries. */
async function withIndex<Result>(action: () => Result): Promise<Result> {
  try {
    return action();
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    index.close();
    deleteSearchIndex(paths.index);
    index = openSearchIndex(paths.index);
    return action();
  }
}

function search({ query, team, jobs, only, expired, skip, count }: SearchRequest): SearchAnswer {
  enqueue(jobs, team);
  const until = performance.now() + patienceMs;
  while (jobs.some(({ id }) => waiting.has(id)) && performance.now() < until) indexNext(jobs);
  const total = jobs.reduce((sum, { documents }) => sum + documents, 0);
  const pages = jobs.reduce(
    (sum, { id, documents }) => sum + (waiting.has(id) ? Math.min(documents, index.progress(id).pages) : documents),
    0,
  );
  const indexed = { pages, total };
  const terms = termsOf(query);
  if (terms.length === 0) return { found: [], total: 0, indexed };
  const found = index.search(expressionOf(terms), { team, only, except: expired }, skip, count);
  return {
    found: found.rows.map((row) => ({ row, ...findMatches(textOf(documentOf.get(row)), terms) })),
    total: found.total,
    indexed,
  };
}

function enqueue(jobs: readonly SearchedJob[], team: string): void {
  for (const job of jobs) if (index.progress(job.id).pages < job.documents) waiting.set(job.id, { job, team });
}

/** Indexes a slice of a waiting job. Returns false if there is none. */
function indexNext(jobs?: readonly SearchedJob[]): boolean {
  const wanted = jobs?.find(({ id }) => waiting.has(id))?.id;
  const next = wanted === undefined ? waiting.values().next().value : waiting.get(wanted);
  if (!next) return false;
  const { job, team } = next;
  const pages = readPages(job);
  index.add(job, team, pages);
  if (pages.length === 0) waiting.delete(job.id);
  return true;
}

function indexInBackground(): boolean {
  try {
    return indexNext();
  } catch {
    // The next search tries again, and reports the problem.
    waiting.clear();
    return false;
  }
}

function readPages(job: SearchedJob): IndexedPage[] {
  const pages: IndexedPage[] = [];
  let characters = 0;
  for (const row of nextPages.iterate(job.num, index.progress(job.id).place)) {
    const { row: id, place, url, title } = row as unknown as SourceRow;
    const text = textOf(row).slice(0, maxText);
    pages.push({ row: id, place, title: title ?? '', url: textOfKey(url), text });
    characters += text.length;
    if (characters > slice.characters) break;
  }
  return pages;
}

/** Returns the text that is searched: the lines of a page's Markdown. */
function textOf(row: unknown): string {
  const { document } = (row ?? {}) as Partial<SourceRow>;
  return document === undefined ? '' : ((JSON.parse(document) as ScrapeDocument).markdown ?? '');
}

async function sweep(): Promise<void> {
  for (const jobId of index.jobs()) {
    if (exists.get(jobId)) continue;
    waiting.delete(jobId);
    while (index.remove(jobId, sweepCount)) await new Promise(setImmediate);
  }
  if (index.jobs().length > 0) return;
  // What was removed stays in the file until the index is merged.
  index.close();
  deleteSearchIndex(paths.index);
  index = openSearchIndex(paths.index);
}

function post(message: SearchMessage): void {
  parentPort?.postMessage(message);
}

function isCorrupt(error: unknown): boolean {
  const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
  return code === 11 || code === 26;
}

interface SourceRow {
  row: number;
  place: number;
  url: string;
  title: string | null;
  document: string;
}
