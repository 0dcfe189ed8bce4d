import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type Kysely, sql } from 'kysely';
import { isDuplicate, openSqliteInThreads, threadEnvironment, transaction } from '../../../src/storage/storage.ts';
import { repository, temporaryFolder } from '../../harness/folders.ts';

interface Schema {
  item: { name: string; content: Uint8Array | null };
}

describe('an SQLite file in threads', () => {
  const setUp = `
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS item (name TEXT PRIMARY KEY, content BLOB) STRICT`;
  let folder: string;
  let database: Kysely<Schema>;
  beforeEach(() => {
    folder = temporaryFolder();
    database = openSqliteInThreads<Schema>(join(folder, 'items.sqlite'), { setUp, reader: true });
  });
  afterEach(async () => {
    await database.destroy();
    rmSync(folder, { recursive: true });
  });

  const add = (name: string, db = database) => db.insertInto('item').values({ name, content: null }).execute();
  const names = async () =>
    (await database.selectFrom('item').select('name').orderBy('name').execute()).map(({ name }) => name);

  it('gives a thread the compile cache of its process, and no other variable', async () => {
    enableCompileCache(join(folder, 'compiled'));
    const code =
      'require("node:worker_threads").parentPort.postMessage([require("node:module").getCompileCacheDir(), Object.keys(process.env)])';
    const [found] = await once(new Worker(code, { eval: true, env: threadEnvironment() }), 'message');
    // The folder in it is named after the flags of V8, which other tests of this process change.
    const own = getCompileCacheDir();
    assert.ok(own);
    assert.equal(dirname(found[0]), dirname(own));
    assert.deepEqual(found[1], ['NODE_COMPILE_CACHE']);
  });

  it('reads what was just stored, and stores bytes as they are', async () => {
    // Small buffers share memory with others.
    const content = Buffer.from('some bytes');
    await database.insertInto('item').values({ name: 'one', content }).execute();
    const read = await database.selectFrom('item').selectAll().executeTakeFirstOrThrow();
    assert.equal(read.name, 'one');
    assert.deepEqual(Buffer.from(read.content ?? []), content);
    assert.equal(content.toString(), 'some bytes');
    const { numUpdatedRows } = await database.updateTable('item').set({ content: null }).executeTakeFirstOrThrow();
    assert.equal(numUpdatedRows, 1n);
  });

  it('reports errors with their codes', async () => {
    await add('one');
    await assert.rejects(add('one'), (error) => isDuplicate(error));
    await assert.rejects(sql`SELECT 1 FROM nowhere`.execute(database), /no such table: nowhere/);
  });

  it('stores nothing of a transaction that SQLite has ended', async () => {
    const work = transaction(database, async (tx) => {
      await add('before', tx);
      await sql`ROLLBACK`.execute(tx);
      await add('after', tx).catch(() => undefined);
    });
    await assert.rejects(work, /was rolled back/);
    assert.deepEqual(await names(), []);
  });

  it('fails the pending requests of a lost thread, and continues with another', async () => {
    const threads: Worker[] = [];
    const plain = Worker.prototype.ref;
    Worker.prototype.ref = function (this: Worker) {
      if (!threads.includes(this)) threads.push(this);
      plain.call(this);
    };
    try {
      await add('before');
      const work = transaction(database, async (tx) => {
        await add('half', tx);
        await Promise.all(threads.map((thread) => thread.terminate()));
        await add('other half', tx);
      });
      await assert.rejects(work, /was rolled back/);
    } finally {
      Worker.prototype.ref = plain;
    }
    await add('later');
    assert.deepEqual(await names(), ['before', 'later']);
  });

  it('keeps the process alive until it is closed, even while a statement is running', async () => {
    const storage = JSON.stringify(join(repository, 'src', 'storage', 'storage.ts'));
    const program = `
      const { openSqliteInThreads } = await import(${storage});
      const { sql } = await import('kysely');
      const database = openSqliteInThreads(process.argv[1], { setUp: 'PRAGMA user_version' });
      await sql\`SELECT 1\`.execute(database);
      sql\`SELECT 2\`.execute(database).catch(() => undefined);
      await new Promise(setImmediate);
      await database.destroy();
      console.log('closed');`;
    const args = ['-e', program, join(folder, 'other.sqlite')];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repository });
    assert.equal(stdout, 'closed\n');
  });
});
