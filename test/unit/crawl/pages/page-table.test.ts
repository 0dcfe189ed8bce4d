import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pageTable } from '../../../../src/service/crawl/pages/page-table.ts';
import { frontier, pageStates, splitUrl } from '../../../../src/service/crawl/store/frontier.ts';
import { silentLog } from '../../../../src/service/log.ts';
import { migrations } from '../../../../src/service/storage/migrations.ts';
import { databasePath, openDatabase } from '../../../../src/service/storage/storage.ts';
import { temporaryFolder } from '../../../harness/folders.ts';

describe('the table of pages', () => {
  let folder: string;
  let database: DatabaseSync;
  beforeEach(() => {
    folder = temporaryFolder();
    database = openDatabase(folder, silentLog, 0);
  });
  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });

  function store(...urls: string[]): void {
    const pages = frontier(database);
    for (const [index, url] of urls.entries()) {
      pages.add(1, { url, origin: new URL(url).origin, identity: url, depth: 0 });
      pages.record(pages.known(1, url)?.id ?? 0, pageStates.failed, 0, { place: index + 1, url }, { error: 'x' });
    }
  }
  const foldersOf = (prefix: string) => pageTable(database).foldersIn(1, prefix, undefined, 100);

  it('splits URLs after the last slash of their path', () => {
    assert.deepEqual(splitUrl('https://a.test/x/y?z=/1#/2'), ['https://a.test/x/', 'y?z=/1#/2']);
    assert.deepEqual(splitUrl('https://a.test/'), ['https://a.test/', '']);
    assert.deepEqual(splitUrl('https://a.test/#/x'), ['https://a.test/', '#/x']);
  });

  it('starts at the folder that all pages share', () => {
    assert.equal(pageTable(database).top(1), undefined);
    store('https://a.test/docs/x/1', 'https://a.test/docs/y/1');
    assert.equal(pageTable(database).top(1), 'https://a.test/docs/');
    assert.deepEqual(
      foldersOf('https://a.test/docs/').map(({ prefix, pageCount, failedCount }) => [prefix, pageCount, failedCount]),
      [
        ['https://a.test/docs/x/', 1, 1],
        ['https://a.test/docs/y/', 1, 1],
      ],
    );
  });

  it('groups several sites and schemes by host', () => {
    store('https://a.test/1', 'https://ab.test/x/1', 'https://ab.test/x/y/2');
    assert.equal(pageTable(database).top(1), '');
    assert.deepEqual(
      foldersOf('').map(({ prefix, shared }) => [prefix, shared]),
      [
        ['https://a.test/', 'https://a.test/'],
        ['https://ab.test/', 'https://ab.test/x/'],
      ],
    );
    assert.deepEqual(
      pageTable(database)
        .foldersIn(1, '', 'https://a.test/', 1)
        .map(({ prefix }) => prefix),
      ['https://ab.test/'],
    );
  });

  it('sorts numbers in folders and pages by their value', () => {
    const numbers = ['10', '2', '9', '1', '100', '12345678901', '0'];
    store(...numbers.flatMap((number) => [`https://a.test/p/${number}`, `https://a.test/v${number}/a`]));
    const table = pageTable(database);
    const sorted = ['0', '1', '2', '9', '10', '100', '12345678901'];
    assert.deepEqual(
      table.directlyIn(1, 'https://a.test/p/', undefined, 99).map(({ page }) => page.url),
      sorted.map((number) => `https://a.test/p/${number}`),
    );
    assert.deepEqual(
      foldersOf('https://a.test/').map(({ prefix }) => prefix),
      ['https://a.test/p/', ...sorted.map((number) => `https://a.test/v${number}/`)],
    );
    const [after] = table.directlyIn(1, 'https://a.test/p/', '9', 1);
    assert.equal(after?.page.url, 'https://a.test/p/10');
    const position = { folder: 'https://a.test/v2/', name: 'a' };
    const [next] = table.below(1, 'https://a.test/', position, { state: undefined, count: 1 });
    assert.equal(next?.page.url, 'https://a.test/v9/a');
    store('https://a.test/p/01');
    assert.equal(table.find(1, 'https://a.test/p/01', '')?.url, 'https://a.test/p/01');
    assert.equal(table.find(1, 'https://a.test/p/1', '')?.url, 'https://a.test/p/1');
  });

  it('reads only the opened folder, however many pages there are', () => {
    const plan = (sql: string) =>
      (database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail).join();
    assert.match(
      plan("SELECT count(*) FROM crawl_page WHERE job = 1 AND folder >= 'a' AND folder < 'b'"),
      /COVERING INDEX crawl_page_by_folder \(job=\? AND folder>\? AND folder<\?\)/,
    );
    assert.match(
      plan('SELECT * FROM crawl_page WHERE job = 1 AND place IS NOT NULL AND place > 5 ORDER BY place LIMIT 5'),
      /INDEX crawl_page_by_place \(job=\? AND place>\?\)$/,
    );
  });

  it('lists the pages of jobs that an earlier version stored', () => {
    const oldFolder = temporaryFolder();
    const old = new DatabaseSync(databasePath(oldFolder));
    const version = migrations.findIndex((sql) => sql.includes('ADD COLUMN place'));
    for (const sql of migrations.slice(0, version)) old.exec(sql);
    old.exec(`INSERT INTO crawl_page (id, job, origin, url, identity, depth, state, code, error, ended_at) VALUES
        (1, 1, 'https://a.test', 'https://a.test/old?x=/1', 'a', 0, 1, NULL, NULL, 20),
        (2, 1, 'https://a.test', 'https://a.test/gone', 'b', 0, 2, 'HTTP_404', 'Not there', 10),
        (3, 1, 'https://a.test', 'https://a.test/same', 'c', 0, 4, NULL, NULL, 15),
        (4, 1, 'https://a.test', 'https://a.test/waiting', 'd', 0, 0, NULL, NULL, NULL);
      INSERT INTO crawl_document (job, seq, scrape_id, document, replay) VALUES
        (1, 1, 'scrape-1', '{"metadata":{"url":"https://a.test/docs/007/new12#x","sourceURL":"https://a.test/old?x=/1","title":"New","statusCode":200}}', '{}')`);
    old.exec(`PRAGMA user_version = ${version}`);
    old.close();
    const migrated = openDatabase(oldFolder, silentLog, 0);
    const table = pageTable(migrated);
    assert.deepEqual(
      table.inOrder(1, 0, { state: undefined, count: 10 }).map(({ page }) => page),
      [
        { order: 1, url: 'https://a.test/gone', state: 'failed', code: 'HTTP_404', reason: 'Not there' },
        {
          order: 2,
          id: 'scrape-1',
          url: 'https://a.test/docs/007/new12#x',
          title: 'New',
          statusCode: 200,
          state: 'ok',
        },
      ],
    );
    assert.equal(table.find(1, 'https://a.test/docs/007/new12#x', '')?.order, 2);
    assert.deepEqual(
      table.foldersIn(1, 'https://a.test/', undefined, 9).map(({ shared }) => shared),
      ['https://a.test/docs/007/'],
    );
    migrated.close();
    rmSync(oldFolder, { recursive: true });
  });
});
