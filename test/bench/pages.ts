import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLog } from '../../src/service/platform/log.ts';
import { createUnreadable, type Database, openDatabase } from '../../src/service/platform/storage/storage.ts';
import { documents } from '../../src/service/web/crawl/store/documents.ts';
import { frontier, pageStates } from '../../src/service/web/crawl/store/frontier.ts';
import { jobTable } from '../../src/service/web/crawl/store/job-table.ts';
import { packDocument } from '../../src/service/web/scrape/stored-document.ts';
import { transaction } from '../../src/storage/storage.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { call, spawnService } from '../harness/service.ts';
import { interleave, median, printTarget, printTimes } from './figures.ts';

const origin = 'https://site.test';
const words =
  'the page tells how a reader finds water bread stone river winter market letter garden history of small towns'
    .split(' ')
    .concat(Array.from({ length: 400 }, (_, index) => `term${index}`));

/** Lists, opens and searches the pages of crawls of 1,000 and 100,000 pages, over HTTP. */
export async function run(): Promise<void> {
  const folder = temporaryFolder();
  const database = await openDatabase(folder, silentLog, 0);
  const small = await store(database, 1000, 6000);
  const large = await store(database, 100_000, 2000);
  await database.destroy();
  const { child, line, exited } = await spawnService(['--data-dir', folder, '--spare-browsers', '0', '--no-auth']);
  const get = async (path: string) => {
    const { status, body } = await call(line.baseUrl, '', 'GET', path);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  try {
    const firstRow = performance.now();
    await get(`/embedded/jobs/${small.id}/folder`);
    const firstRowMs = performance.now() - firstRow;
    const indexMs = await untilIndexed(get, small.id);
    const largeIndexMs = await untilIndexed(get, large.id);
    const middle = `${origin}/section-5/`;
    const { cursor } = await get(`/embedded/jobs/${large.id}/pages?limit=1000`);
    let read = 0;
    const readAny = (pages: string[]) => {
      read += 7919;
      return get(`/v2/scrape/${pages[read % pages.length]}`);
    };
    const times = await interleave(
      {
        'tree of 1,000 pages': () => get(`/embedded/jobs/${small.id}/folder`),
        'any page of 1,000': () => readAny(small.pages),
        'tree of 100,000 pages': () => get(`/embedded/jobs/${large.id}/folder`),
        'a folder of 100,000 pages': () => get(`/embedded/jobs/${large.id}/folder?folder=${middle}`),
        'the next 1,000 of 100,000 pages': () => get(`/embedded/jobs/${large.id}/pages?limit=1000&cursor=${cursor}`),
        'the failed of 100,000 pages': () => get(`/embedded/jobs/${large.id}/pages?state=failed`),
        'any page of 100,000': () => readAny(large.pages),
        'search 1,000 pages': () => get(`/embedded/page-search?jobId=${small.id}&query=winter+mark`),
        'search 100,000 pages, one match': () => get(`/embedded/page-search?jobId=${large.id}&query=unique77777`),
        'search 100,000 pages, some match': () =>
          get(`/embedded/page-search?jobId=${large.id}&query=term7+river+term9`),
        'search 100,000 pages, a prefix': () => get(`/embedded/page-search?jobId=${large.id}&query=gard`),
        'search 100,000 pages, all match': () => get(`/embedded/page-search?jobId=${large.id}&query=the`),
        'search all crawls': () => get('/embedded/page-search?query=unique77777'),
      },
      30,
      3,
    );
    printTimes(times);
    console.log(
      `Indexed 1,000 pages of 6,000 characters in ${Math.round(indexMs)} ms, 100,000 of 2,000 in ${Math.round(largeIndexMs)} ms.`,
    );
    const of = (name: string) => median(times[name] ?? []);
    printTarget('ms for the first row of a tree of 1,000 pages, cold', firstRowMs, 'under 300', firstRowMs < 300);
    printTarget('ms for any page of 1,000', of('any page of 1,000'), 'under 200', of('any page of 1,000') < 200);
    const tree = of('tree of 100,000 pages');
    printTarget('ms for the tree of 100,000 pages', tree, 'under 100', tree < 100);
    const search = of('search 100,000 pages, some match');
    printTarget('ms for a search of 100,000 pages', search, 'under 200', search < 200);
  } finally {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Searches until all pages are indexed. Returns how long that took in milliseconds. */
async function untilIndexed(get: (path: string) => Promise<{ indexed: { pages: number; total: number } }>, id: string) {
  const began = performance.now();
  for (;;) {
    const { indexed } = await get(`/embedded/page-search?jobId=${id}&query=water`);
    if (indexed.pages === indexed.total) return performance.now() - began;
    await sleep(10);
  }
}

/** Stores a finished crawl, as a crawl does. Returns its id and the ids of its pages. */
async function store(database: Database, count: number, length: number): Promise<{ id: string; pages: string[] }> {
  const unreadable = createUnreadable(database, silentLog, Date.now);
  const jobs = jobTable(database, unreadable);
  const pages = frontier(database);
  const stored = documents(database, unreadable);
  const id = randomUUID();
  const ids: string[] = [];
  await transaction(database, async (tx) => {
    const now = Date.now();
    const job = await jobs.insert(
      {
        id,
        team: 'default',
        key_label: 'default',
        kind: 'crawl',
        url: `${origin}/`,
        options: {},
        scrapeOptions: {} as never,
        webhook: undefined,
        idempotencyKey: undefined,
        createdAt: now,
      },
      tx,
    );
    if (!job) throw new Error('the job was not stored');
    for (let index = 0; index < count; index++) {
      const url = `${origin}/section-${index % 20}/part-${index % 200}/page-${index}`;
      const [added] = await pages.add(job.num, [{ url, origin, identity: url, depth: 1 }], tx);
      const row = added?.id ?? 0;
      job.added++;
      if (index % 500 === 499) {
        job.failed++;
        const record = { place: job.completed + job.failed, url, status_code: 500 };
        const failure = { code: 'HTTP_500', error: 'The page returned 500' };
        await pages.settle([{ id: row, state: pageStates.failed, at: now, record, failure }], tx);
        continue;
      }
      job.completed++;
      const scrapeId = randomUUID();
      ids.push(scrapeId);
      const metadata = { url, sourceURL: url, title: `Page ${index}`, statusCode: 200, scrapeId };
      const document = { markdown: markdownOf(index, length), metadata };
      const packed = await packDocument(document);
      const replay = JSON.stringify({ url });
      await stored.add([{ job: job.num, seq: job.completed, scrape_id: scrapeId, ...packed, replay }], tx);
      const record = {
        place: job.completed + job.failed,
        url,
        seq: job.completed,
        title: metadata.title,
        status_code: 200,
      };
      await pages.settle([{ id: row, state: pageStates.done, at: now, record }], tx);
    }
    await jobs.save(job, tx);
    await jobs.end(job, 'completed', null, now, tx);
  });
  return { id, pages: ids };
}

function markdownOf(page: number, length: number): string {
  let text = `# Page ${page}\n\nunique${page}\n\n`;
  for (let at = page; text.length < length; at += 1 + ((at * 7) % 13)) {
    text += words[at % words.length] + (at % 15 === 0 ? '.\n\n' : ' ');
  }
  return text;
}
