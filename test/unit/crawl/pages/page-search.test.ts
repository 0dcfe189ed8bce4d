import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '../../../../src/service/platform/log.ts';
import { createUnreadable, type Database, openDatabase } from '../../../../src/service/platform/storage/storage.ts';
import { createPageSearch, type PageSearch } from '../../../../src/service/web/crawl/pages/search/page-search.ts';
import { openSearchIndex } from '../../../../src/service/web/crawl/pages/search/search-index.ts';
import type { SearchRequest } from '../../../../src/service/web/crawl/pages/search/tasks.ts';
import { documents } from '../../../../src/service/web/crawl/store/documents.ts';
import { frontier, pageStates } from '../../../../src/service/web/crawl/store/frontier.ts';
import { jobTable } from '../../../../src/service/web/crawl/store/job-table.ts';
import { packDocument } from '../../../../src/service/web/scrape/stored-document.ts';
import { transaction } from '../../../../src/storage/storage.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createFakeClock, type FakeClock } from '../../../harness/fake-clock.ts';
import { temporaryFolder } from '../../../harness/folders.ts';

const team = 'red';
const id = '11111111-0000-4000-8000-000000000000';

describe('the search of pages', () => {
  let folder: string;
  let database: Database;
  let search: PageSearch;
  let clock: FakeClock;
  const { signal } = new AbortController();
  beforeEach(async () => {
    folder = temporaryFolder();
    database = await openDatabase(folder, silentLog, 0);
    clock = createFakeClock();
    search = createPageSearch(
      { database: { dataDir: folder, url: undefined }, index: join(folder, 'index.sqlite') },
      clock,
    );
  });
  afterEach(async () => {
    await search.close();
    await database.destroy();
    rmSync(folder, { recursive: true });
  });

  const stored = () =>
    jobTable(
      database,
      createUnreadable(database, silentLog, () => 0),
    );

  /** Stores pages whose texts are `texts`, after those that the job has. */
  async function store(...texts: string[]): Promise<void> {
    const jobs = stored();
    const pages = frontier(database);
    await transaction(database, async (tx) => {
      const job =
        (await jobs.find(id, tx)) ??
        (await jobs.insert(
          {
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
          },
          tx,
        ));
      assert.ok(job);
      for (const markdown of texts) {
        const seq = ++job.completed;
        const url = `https://a.test/${seq}`;
        const [added] = await pages.add(job.num, [{ url, origin: 'https://a.test', identity: url, depth: 0 }], tx);
        const record = { place: seq, url, seq };
        await pages.settle([{ id: added?.id ?? 0, state: pageStates.done, at: 0, record }], tx);
        const packed = await packDocument({ markdown });
        await documents(
          database,
          createUnreadable(database, silentLog, () => 0),
        ).add([{ job: job.num, seq, scrape_id: url, ...packed, replay: '{}' }], tx);
      }
      await jobs.save(job, tx);
    });
  }
  async function request(query: string): Promise<SearchRequest> {
    const job = await stored().find(id);
    const jobs = job ? [{ num: job.num, id, documents: job.completed }] : [];
    return { query, team, jobs, only: undefined, onlyChanges: false, expired: [], skip: 0, count: 10 };
  }
  const found = async (query: string) =>
    (await search.search(await request(query), signal)).found.map(({ row }) => row);

  it('finds pages as they are stored', async () => {
    await store('the fox', 'the hen');
    assert.deepEqual(await found('fox'), [1]);
    await store('a fox again', '');
    const answer = await search.search(await request('fox'), signal);
    assert.equal(answer.total, 2);
    assert.deepEqual(answer.indexed, { pages: 4, total: 4 });
  });

  it('reports how many pages are indexed so far, and continues', async () => {
    await store(
      ...Array.from({ length: 5000 }, (_, index) => `word${index} ${'lorem ipsum dolor sit amet '.repeat(100)}`),
    );
    await eventually(async () => {
      const { indexed, total } = await search.search(await request('word4999 lorem'), signal);
      assert.equal(indexed.total, 5000);
      assert.equal(total, indexed.pages === 5000 ? 1 : 0);
      assert.equal(indexed.pages, 5000);
    });
  });

  it('answers a team after a few searches of others, however many they ask for (F6)', async () => {
    await store('the fox');
    const asked = await request('fox');
    const answered: string[] = [];
    const ask = (team: string) => search.search({ ...asked, team }, signal).then(() => void answered.push(team));
    await Promise.all([...Array.from({ length: 50 }, () => ask('red')), ask('blue')]);
    assert.ok(answered.indexOf('blue') < 10, answered.join());
  });

  it('ends a search that takes too long, so that others go on (F6)', async () => {
    await store('the fox');
    const asked = await request('fox');
    const slow = search.search(asked, signal);
    const own = search.search(asked, signal);
    const other = search.search({ ...asked, team: 'blue' }, signal);
    const ended = assert.rejects(slow, { status: 400, code: 'SEARCH_TOO_SLOW' });
    clock.advance(30_000);
    await ended;
    // It doesn't run beside what is left of its team's last one.
    const order: string[] = [];
    await Promise.all([own.then(() => order.push('red')), other.then(() => order.push('blue'))]);
    assert.deepEqual(order, ['blue', 'red']);
  });

  it('runs no searches whose callers have left', async () => {
    await store('the fox');
    const asked = await request('fox');
    let begun = 0;
    const { after } = clock;
    clock.after = (ms, callback) => {
      // The deadline of a search that begins.
      if (ms === 30_000) begun++;
      return after(ms, callback);
    };
    const caller = new AbortController();
    const first = search.search(asked, signal);
    const left = Array.from({ length: 50 }, () => search.search(asked, caller.signal));
    caller.abort(new Error('left'));
    await Promise.all(left.map((one) => assert.rejects(one, /left/)));
    await first;
    assert.deepEqual(await found('fox'), [1]);
    assert.equal(begun, 2);
  });

  it('removes a deleted job from the disk', async () => {
    await store('a secret fox');
    assert.deepEqual(await found('secret'), [1]);
    for (const table of ['crawl_document', 'crawl_page', 'crawl_job'] as const)
      await database.deleteFrom(table).execute();
    search.sweep();
    assert.deepEqual(await found('secret'), []);
    await search.close();
    const index = openSearchIndex(join(folder, 'index.sqlite'));
    assert.deepEqual(await index.jobs(), []);
    await index.close();
  });

  it('replaces a damaged index, and finds everything again', async () => {
    await store('the fox');
    writeFileSync(join(folder, 'index.sqlite'), 'damaged'.repeat(1000));
    assert.deepEqual(await found('fox'), [1]);
  });

  it('rejects waiting searches when it stops', async () => {
    await store('the fox');
    const waiting = search.search(await request('fox'), signal);
    await Promise.all([assert.rejects(waiting, /shutting down/), search.close()]);
    await assert.rejects(search.search(await request('fox'), signal), /shutting down/);
  });
});
