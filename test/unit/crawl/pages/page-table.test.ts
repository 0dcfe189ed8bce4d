import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { sql } from 'kysely';
import { silentLog } from '../../../../src/service/platform/log.ts';
import { type Database, openDatabase } from '../../../../src/service/platform/storage/storage.ts';
import { pageTable } from '../../../../src/service/web/crawl/pages/page-table.ts';
import { frontier, pageStates, splitUrl } from '../../../../src/service/web/crawl/store/frontier.ts';
import { temporaryFolder } from '../../../harness/folders.ts';

describe('the table of pages', () => {
  let folder: string;
  let database: Database;
  beforeEach(async () => {
    folder = temporaryFolder();
    database = await openDatabase(folder, silentLog, 0);
  });
  afterEach(async () => {
    await database.destroy();
    rmSync(folder, { recursive: true });
  });

  async function store(...urls: string[]): Promise<void> {
    const pages = frontier(database);
    for (const [index, url] of urls.entries()) {
      const [added] = await pages.add(1, [{ url, origin: new URL(url).origin, identity: url, depth: 0 }]);
      const record = { place: index + 1, url };
      const failure = { error: 'x' };
      await pages.settle([{ id: added?.id ?? 0, state: pageStates.failed, at: 0, record, failure }]);
    }
  }
  const foldersOf = (prefix: string) => pageTable(database).foldersIn(1, prefix, undefined, 100);

  it('splits URLs after the last slash of their path', async () => {
    assert.deepEqual(splitUrl('https://a.test/x/y?z=/1#/2'), ['https://a.test/x/', 'y?z=/1#/2']);
    assert.deepEqual(splitUrl('https://a.test/'), ['https://a.test/', '']);
    assert.deepEqual(splitUrl('https://a.test/#/x'), ['https://a.test/', '#/x']);
  });

  it('starts at the folder that all pages share', async () => {
    assert.equal(await pageTable(database).top(1), undefined);
    await store('https://a.test/docs/x/1', 'https://a.test/docs/y/1');
    assert.equal(await pageTable(database).top(1), 'https://a.test/docs/');
    assert.deepEqual(
      (await foldersOf('https://a.test/docs/')).map(({ prefix, pageCount, failedCount }) => [
        prefix,
        pageCount,
        failedCount,
      ]),
      [
        ['https://a.test/docs/x/', 1, 1],
        ['https://a.test/docs/y/', 1, 1],
      ],
    );
  });

  it('groups several sites and schemes by host', async () => {
    await store('https://a.test/1', 'https://ab.test/x/1', 'https://ab.test/x/y/2');
    assert.equal(await pageTable(database).top(1), '');
    assert.deepEqual(
      (await foldersOf('')).map(({ prefix, shared }) => [prefix, shared]),
      [
        ['https://a.test/', 'https://a.test/'],
        ['https://ab.test/', 'https://ab.test/x/'],
      ],
    );
    assert.deepEqual(
      (await pageTable(database).foldersIn(1, '', 'https://a.test/', 1)).map(({ prefix }) => prefix),
      ['https://ab.test/'],
    );
  });

  it('sorts numbers in folders and pages by their value', async () => {
    const numbers = ['10', '2', '9', '1', '100', '12345678901', '0'];
    await store(...numbers.flatMap((number) => [`https://a.test/p/${number}`, `https://a.test/v${number}/a`]));
    const table = pageTable(database);
    const sorted = ['0', '1', '2', '9', '10', '100', '12345678901'];
    assert.deepEqual(
      (await table.directlyIn(1, 'https://a.test/p/', undefined, 99)).map(({ page }) => page.url),
      sorted.map((number) => `https://a.test/p/${number}`),
    );
    assert.deepEqual(
      (await foldersOf('https://a.test/')).map(({ prefix }) => prefix),
      ['https://a.test/p/', ...sorted.map((number) => `https://a.test/v${number}/`)],
    );
    const [after] = await table.directlyIn(1, 'https://a.test/p/', '9', 1);
    assert.equal(after?.page.url, 'https://a.test/p/10');
    const position = { folder: 'https://a.test/v2/', name: 'a' };
    const [next] = await table.below(1, 'https://a.test/', position, { state: undefined, count: 1 });
    assert.equal(next?.page.url, 'https://a.test/v9/a');
    await store('https://a.test/p/01');
    assert.equal((await table.find(1, 'https://a.test/p/01', ''))?.url, 'https://a.test/p/01');
    assert.equal((await table.find(1, 'https://a.test/p/1', ''))?.url, 'https://a.test/p/1');
  });

  it('reads only the opened folder, however many pages there are', async () => {
    const plan = async (query: string) => {
      const { rows } = await sql<{ detail: string }>`EXPLAIN QUERY PLAN ${sql.raw(query)}`.execute(database);
      return rows.map(({ detail }) => detail).join();
    };
    assert.match(
      await plan("SELECT count(*) FROM crawl_page WHERE job = 1 AND folder >= 'a' AND folder < 'b'"),
      /COVERING INDEX crawl_page_by_folder \(job=\? AND folder>\? AND folder<\?\)/,
    );
    assert.match(
      await plan('SELECT * FROM crawl_page WHERE job = 1 AND place IS NOT NULL AND place > 5 ORDER BY place LIMIT 5'),
      /INDEX crawl_page_by_place \(job=\? AND place>\?\)$/,
    );
  });
});
