import assert from 'node:assert/strict';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../../src/service/platform/storage/storage.ts';
import { type Commit, createCommits } from '../../../../src/service/web/crawl/store/commits.ts';
import { openSqlite } from '../../../../src/storage/storage.ts';

describe('commits', () => {
  let entries: Kysely<{ entry: { name: string } }>;
  let database: Database;
  beforeEach(() => {
    entries = openSqlite(':memory:', { setUp: 'CREATE TABLE entry (name TEXT PRIMARY KEY)' });
    database = entries as unknown as Database;
  });
  afterEach(() => entries.destroy());
  const add =
    (name: string) =>
    async ({ tx }: Pick<Commit, 'tx'>) =>
      void (await sql`INSERT INTO entry VALUES (${name})`.execute(tx));
  const names = async () =>
    (await entries.selectFrom('entry').select('name').orderBy('name').execute()).map(({ name }) => name);

  it('store a group together, then confirm it', async () => {
    const commits = createCommits(database);
    const both = Promise.all([commits.run(add('a')), commits.run(add('b'))]);
    assert.deepEqual(await names(), []);
    await both;
    assert.deepEqual(await names(), ['a', 'b']);
  });

  it('keep the successful ones and roll back the failed one', async () => {
    const commits = createCommits(database);
    const undone: string[] = [];
    const results = await Promise.allSettled([
      commits.run(add('a'), () => undone.push('a')),
      commits.run(
        async (commit) => {
          await add('half')(commit);
          await add('a')(commit);
        },
        () => undone.push('half'),
      ),
      commits.run(add('c'), () => undone.push('c')),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await names(), ['a', 'c']);
    // Together first, the last one first; then the one that fails alone.
    assert.deepEqual(undone, ['half', 'a', 'half']);
  });

  it('can be flushed early', async () => {
    const commits = createCommits(database);
    const key = {};
    const written: string[][] = [];
    const gather = (name: string) =>
      commits.run(async (commit) =>
        commit.gather(key, name, async (items) => {
          written.push(items);
          for (const item of items) await add(item)(commit);
        }),
      );
    await Promise.all([gather('a'), gather('b')]);
    assert.deepEqual(written, [['a', 'b']]);
    assert.deepEqual(await names(), ['a', 'b']);
  });

  it('write what comes last at the end, and write early what other work reads', async () => {
    const commits = createCommits(database);
    const key = {};
    const order: string[] = [];
    const work = (name: string, reads = false) =>
      commits.run(async (commit) => {
        commit.finally(key, async () => void order.push('last'));
        commit.gather(key, name, async (items) => {
          order.push(items.join());
          for (const item of items) await add(item)(commit);
        });
        if (!reads) return;
        await commit.flush();
        const { rows } = await sql`SELECT name FROM entry`.execute(commit.tx);
        order.push(`${rows.length} read`);
      });
    await Promise.all([work('a'), work('b', true), work('c'), work('d')]);
    assert.deepEqual(order, ['a,b', '2 read', 'c,d', 'last']);
  });

  it('store what waits when they are closed, and nothing after that', async () => {
    const commits = createCommits(database);
    const waiting = commits.run(add('a'));
    await commits.close();
    await waiting;
    await assert.rejects(commits.run(add('b')), /shutting down/);
    assert.deepEqual(await names(), ['a']);
  });
});
