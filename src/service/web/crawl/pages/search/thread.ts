import { parentPort, workerData } from 'node:worker_threads';
import { sql } from 'kysely';
import { textOfKey } from '../../../../../contract/crawl/page-order.ts';
import type { ScrapeDocument } from '../../../../../contract/scrape/scrape.ts';
import { isDamaged } from '../../../../../storage/storage.ts';
import { messageOf } from '../../../../platform/errors.ts';
import { type Database, openReader, storedObject } from '../../../../platform/storage/storage.ts';
import { unpackDocument } from '../../../scrape/stored-document.ts';
import { pageStates } from '../../store/frontier.ts';
import { findMatches } from './matches.ts';
import { expressionOf, termsOf } from './query.ts';
import { deleteSearchIndex, type IndexedPage, openSearchIndex } from './search-index.ts';
import type { SearchAnswer, SearchedJob, SearchMessage, SearchRequest, SearchTask, SearchThreadData } from './tasks.ts';

/** How long a search waits for its pages to be indexed before it returns what it finds. */
const patienceMs = 1500;
/** How long the texts of the pages that it finds are read for lines; the others are returned without. */
const readMs = 5000;
/** Documents indexed in one transaction: the maximum number of them, and of their characters. */
const slice = { count: 50, characters: 2_000_000 };
const sweepCount = 500;
/** Longer texts are indexed only as far as this. */
const maxText = 4 * 1024 * 1024;

const paths = workerData as SearchThreadData;
const source = openReader(paths.database);
let index = openSearchIndex(paths.index);

/** Jobs to index, by id. */
const waiting = new Map<string, { job: SearchedJob; team: string }>();
let given: SearchTask | undefined;
let working = false;

parentPort?.on('message', (task: SearchTask) => {
  given = task;
  if (!working) void work();
});

/** Does the pending work: the given task first, then indexing, slice by slice. */
async function work(): Promise<void> {
  working = true;
  for (;;) {
    const task = given;
    given = undefined;
    if (task) post(await run(task));
    else if (!(await indexInBackground())) break;
    // Lets the next task in.
    await new Promise(setImmediate);
  }
  working = false;
  post({ kind: 'idle' });
}

async function run(task: SearchTask): Promise<SearchMessage> {
  try {
    if (task.kind === 'search') return { kind: 'answer', answer: await withIndex(() => search(task.request)) };
    if (task.kind === 'index') await enqueue(task.jobs, task.team);
    else await sweep();
    return { kind: 'done' };
  } catch (error) {
    return { kind: 'failure', message: messageOf(error) };
  }
}

/** Replaces a damaged index with a new one, and retries. */
async function withIndex<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (!isDamaged(error)) throw error;
    await index.close();
    deleteSearchIndex(paths.index);
    index = openSearchIndex(paths.index);
    return await action();
  }
}

async function search(request: SearchRequest): Promise<SearchAnswer> {
  const { query, team, jobs, onlyChanges } = request;
  await enqueue(jobs, team);
  const until = performance.now() + patienceMs;
  while (jobs.some(({ id }) => waiting.has(id)) && performance.now() < until) await indexNext(jobs);
  let pages = 0;
  let total = 0;
  for (const { id, documents } of jobs) {
    total += documents;
    pages += waiting.has(id) ? Math.min(documents, (await index.progress(id)).pages) : documents;
  }
  const indexed = { pages, total };
  const terms = termsOf(query);
  if (terms.length === 0) return { found: [], total: 0, indexed };
  const among = onlyChanges ? await changesOf(jobs) : undefined;
  const { rows, total: matching } = await index.search(expressionOf(terms), request, among);
  const found: SearchAnswer['found'] = [];
  const readUntil = performance.now() + readMs;
  for (const row of rows) {
    const isRead = performance.now() < readUntil;
    found.push({ row, ...(isRead ? findMatches(await textOfPage(row), terms) : { matches: [], moreMatches: true }) });
  }
  return { found, total: matching, indexed };
}

/** Returns the row ids of pages that differ from the crawl that their job repeats. */
async function changesOf(jobs: readonly SearchedJob[]): Promise<number[]> {
  const rows = await (await source)
    .selectFrom('crawl_page')
    .select('id')
    .where(
      'job',
      'in',
      jobs.map(({ num }) => num),
    )
    .where('change', '<>', sql.lit('same'))
    .execute();
  return rows.map(({ id }) => id);
}

async function enqueue(jobs: readonly SearchedJob[], team: string): Promise<void> {
  for (const job of jobs) {
    if ((await index.progress(job.id)).pages < job.documents) waiting.set(job.id, { job, team });
  }
}

/** Indexes a slice of a waiting job. Returns false if there is none. */
async function indexNext(jobs?: readonly SearchedJob[]): Promise<boolean> {
  const wanted = jobs?.find(({ id }) => waiting.has(id))?.id;
  const next = wanted === undefined ? waiting.values().next().value : waiting.get(wanted);
  if (!next) return false;
  const { job, team } = next;
  const pages = await readPages(job);
  await index.add(job, team, pages);
  if (pages.length === 0) waiting.delete(job.id);
  return true;
}

async function indexInBackground(): Promise<boolean> {
  try {
    return await indexNext();
  } catch {
    // The next search tries again, and reports the problem.
    waiting.clear();
    return false;
  }
}

function documentsOfPages(database: Database) {
  return database
    .selectFrom('crawl_page as page')
    .innerJoin('crawl_document as document', (join) =>
      join.onRef('document.job', '=', 'page.job').onRef('document.seq', '=', 'page.seq'),
    );
}

async function readPages(job: SearchedJob): Promise<IndexedPage[]> {
  const { place: after } = await index.progress(job.id);
  const next = await documentsOfPages(await source)
    .select(['page.id', 'place', 'folder', 'name', 'title'])
    .select(sql<number>`octet_length(document) + coalesce(octet_length(packed), 0) * 4`.as('size'))
    .where('page.job', '=', job.num)
    .where('place', '>', after)
    .where('state', '=', pageStates.done)
    .orderBy('place')
    .limit(slice.count)
    .execute();
  const pages: IndexedPage[] = [];
  let characters = 0;
  for (const { id, place, folder, name, title, size } of next) {
    if (pages.length > 0 && characters + size > slice.characters) break;
    const text = (await textOfPage(id)).slice(0, maxText);
    pages.push({ row: id, place: place ?? 0, title: title ?? '', url: textOfKey(`${folder}${name}`), text });
    characters += Math.max(size, text.length);
  }
  return pages;
}

/** Returns the text that is searched: the lines of a page's Markdown. */
async function textOfPage(id: number): Promise<string> {
  const row = await documentsOfPages(await source)
    .select(['document', 'packed'])
    .where('page.id', '=', id)
    .executeTakeFirst();
  if (!row) return '';
  try {
    return storedObject<ScrapeDocument>((await unpackDocument(row)).toString()).markdown ?? '';
  } catch {
    // It is set aside when it is read next.
    return '';
  }
}

async function jobExists(id: string): Promise<boolean> {
  const row = await (await source).selectFrom('crawl_job').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

async function sweep(): Promise<void> {
  for (const jobId of await index.jobs()) {
    if (await jobExists(jobId)) continue;
    waiting.delete(jobId);
    while (await index.remove(jobId, sweepCount)) await new Promise(setImmediate);
  }
  if ((await index.jobs()).length > 0) return;
  // What was removed stays in the file until the index is merged.
  await index.close();
  deleteSearchIndex(paths.index);
  index = openSearchIndex(paths.index);
}

function post(message: SearchMessage): void {
  parentPort?.postMessage(message);
}
