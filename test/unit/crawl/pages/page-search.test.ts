import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createPageSearch, type PageSearch } from '../../../../src/service/crawl/pages/search/page-search.ts';
import { openSearchIndex } from '../../../../src/service/crawl/pages/search/search-index.ts';
import type { SearchRequest } from '../../../../src/service/crawl/pages/search/tasks.ts';
import { documents } from '../../../../src/service/crawl/store/documents.ts';
import { frontier, pageStates } from '../../../../src/service/crawl/store/frontier.ts';
import { jobTable } from '../../../../src/service/crawl/store/job-table.ts';
import { silentLog } from '../../../../src/service/log.ts';
import { databasePath, openDatabase, transaction } from '../../../../src/service/storage/storage.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createFakeClock } from '../../../harness/fake-clock.ts';
import { temporaryFolder } from '../../../harness/folders.ts';

const team = 'red';
const id = '11111111-0000-4000-8000-000000000000';

describe('the search of pages', function () {
  this.timeout(60_000);
  let folder: string;
  let database: DatabaseSync;
  let search: PageSearch;
  beforeEach(() => {
    folder = temporaryFolder();
    database = openDatabase(folder, silentLog, 0);
    search = createPageSearch(
      { database: databasePath(folder), index: join(folder, 'index.sqlite') },
      createFakeClock(),
    );
  });
  afterEach(async () => {
    await search.close();
    database.close();
    rmSync(folder, { recursive: true });
  });

  /** Stores pages whose texts are `texts`, after those that the job has. */
  function store(...texts: string[]): SearchRequest {
    const jobs = jobTable(database);
    const pages = frontier(database);
    transaction(database, () => {
      const job =
        jobs.find(id) ??
        jobs.insert({
          id,
          team,
          key_label: team,
          kind: 'crawl',
          url: 'https://a.test/',
          options: {},
          scrapeOptions: {} as never,
          webhook: undefined,
          idempotencyKey: undefined,
          createdAt: 0,
        });
      for (const markdown of texts) {
        job.completed++;
        const url = `https://a.test/${job.completed}`;
        pages.add(job.num, { url, origin: 'https://a.test', identity: url, depth: 0 });
        const row = pages.known(job.num, url)?.id ?? 0;
        pages.record(row, pageStates.done, 0, { place: job.completed, url, seq: job.completed });
        documents(database).add(job.num, job.completed, url, { markdown }, {} as never);
      }
      jobs.save(job);
    });
    return request('');
  }
  function request(query: string): SearchRequest {
    const job = jobTable(database).find(id);
    const jobs = job ? [{ num: job.num, id, documents: job.completed }] : [];
    return { query, team, jobs, only: undefined, expired: [], skip: 0, count: 10 };
  }
  const found = async (query: string) => (await search.search(request(query))).found.map(({ row }) => row);

  it('finds pages as they are stored', async () => {
    store('the fox', 'the hen');
    assert.deepEqual(await found('fox'), [1]);
    store('a fox again', '');
    const answer = await search.search(request('fox'));
    assert.equal(answer.total, 2);
    assert.deepEqual(answer.indexed, { pages: 4, total: 4 });
  });

  it('reports how many pages are indexed so far, and continues', async () => {
    store(...Array.from({ length: 5000 }, (_, index) => `word${index} ${'lorem ipsum dolor sit amet '.repeat(100)}`));
    await eventually(async () => {
      const { indexed, total } = await search.search(request('word4999 lorem'));
      assert.equal(indexed.total, 5000);
      assert.equal(total, indexed.pages === 5000 ? 1 : 0);
      assert.equal(indexed.pages, 5000);
    }, 40_000);
  });

  it('removes a deleted job from the disk', async () => {
    store('a secret fox');
    assert.deepEqual(await found('secret'), [1]);
    database.exec('DELETE FROM crawl_document; DELETE FROM crawl_page; DELETE FROM crawl_job');
    search.sweep();
    assert.deepEqual(await found('secret'), []);
    await search.close();
    const index = openSearchIndex(join(folder, 'index.sqlite'));
    assert.deepEqual(index.jobs(), []);
    index.close();
  });

  it('replaces a damaged index, and finds everything again', async () => {
    store('the fox');
    writeFileSync(join(folder, 'index.sqlite'), 'damaged'.repeat(1000));
    assert.deepEqual(await found('fox'), [1]);
  });

  it('rejects waiting searches when it stops', async () => {
    store('the fox');
    const waiting = search.search(request('fox'));
    await Promise.all([assert.rejects(waiting, /shutting down/), search.close()]);
    await assert.rejects(search.search(request('fox')), /shutting down/);
  });
});
