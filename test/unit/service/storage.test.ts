import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { createBilling } from '../../../src/service/browsers/sessions/billing.ts';
import { sessionTable } from '../../../src/service/browsers/sessions/session-table.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { DataDirInUse, lockDataDir, openDatabase, openStorage } from '../../../src/service/platform/storage/storage.ts';
import { createLedger } from '../../../src/service/platform/team/ledger.ts';
import { transaction } from '../../../src/storage/storage.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { repository, temporaryFolder } from '../../harness/folders.ts';

async function waitFor(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}

describe('database', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const row = {
    id: 'one',
    team: 'red',
    key_label: 'red',
    status: 'active' as const,
    ttl: 600,
    activity_ttl: 300,
    stream_web_view: 1,
    profile_name: null,
    profile_save: null,
    created_at: 1000,
    last_activity_at: 2000,
    expires_at: null,
    downloads: null,
  };

  it('keeps its data, and migrates once', async () => {
    const first = await openDatabase(folder, silentLog, 0);
    await sessionTable(first).insert(row);
    await first.destroy();
    const again = await openDatabase(folder, silentLog, 0);
    assert.equal((await sessionTable(again).find('one'))?.ttl, 600);
    await again.destroy();
  });

  it('ends the sessions of a killed service, and bills them once', async () => {
    const database = await openDatabase(folder, silentLog, 0);
    const table = sessionTable(database);
    await table.insert(row);
    const ledger = createLedger(database, createFakeClock(), undefined);
    for (let start = 0; start < 2; start++) await createBilling(database, table, ledger).endOrphans('every service');
    const ended = await table.find('one');
    assert.equal(ended?.status, 'destroyed');
    assert.equal(ended?.duration_ms, 1000);
    assert.equal(ended?.ended_at, 2000);
    assert.equal(ended?.credits_billed, 2);
    assert.equal((await ledger.periods('red', false)).at(-1)?.tokensUsed, 2 * 15);
    await database.destroy();
  });

  it('bills the sessions of a node that is gone until they were last used', async () => {
    const database = await openDatabase(folder, silentLog, 0);
    const table = sessionTable(database);
    await table.insert({ ...row, node: 'gone' });
    const halfAnHour = row.created_at + 30 * 60_000;
    await table.setActivity([{ id: 'one', lastActivityAt: halfAnHour }]);
    const ledger = createLedger(database, createFakeClock(), undefined);
    await createBilling(database, table, ledger).endOrphans({ node: 'gone' });
    await table.setActivity([{ id: 'one', lastActivityAt: halfAnHour + 1 }]);
    const ended = await table.find('one');
    assert.equal(ended?.credits_billed, 60);
    assert.equal(ended?.last_activity_at, halfAnHour);
    await database.destroy();
  });

  const damages: Record<string, (path: string) => void> = {
    'a header overwritten': (path) =>
      writeFileSync(path, 'not a database at all, just text that is long enough to be read'),
    'a file cut in half': (path) => truncateSync(path, 4096 + 100),
  };
  for (const [what, damage] of Object.entries(damages)) {
    it(`moves ${what} aside and starts with a new file (STO-01)`, async () => {
      const database = await openDatabase(folder, silentLog, 0);
      await sessionTable(database).insert(row);
      await database.destroy();
      damage(join(folder, 'service.sqlite'));
      const fresh = await openDatabase(folder, silentLog, Date.UTC(2026, 1, 3));
      assert.equal(await sessionTable(fresh).find('one'), undefined);
      await fresh.destroy();
      assert.ok(readdirSync(folder).some((name) => name.startsWith('service.sqlite.corrupt-2026-02-03')));
    });
  }

  it('rejects a database of a newer version, and leaves it unchanged', async () => {
    const database = await openDatabase(folder, silentLog, 0);
    await sql`PRAGMA user_version = 9999`.execute(database);
    await database.destroy();
    await assert.rejects(openDatabase(folder, silentLog, 0), /newer version/);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('corrupt')),
      [],
    );
  });

  it('has the same columns, keys and indexes whether version 0.1.0 created it or this one', async () => {
    const schemaIn = async (dataDir: string) => {
      const database = await openDatabase(dataDir, silentLog, 0);
      const { rows: columns } = await sql`
        SELECT t.name AS "table", t.wr, c.name, c.type, c."notnull", c.dflt_value, c.pk FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
        WHERE t.name NOT LIKE 'sqlite%' ORDER BY 1, 3`.execute(database);
      const { rows: indexes } = await sql`
        SELECT t.name AS "table", i."unique", i.partial, c.seqno, c.name, c."desc" FROM pragma_table_list AS t, pragma_index_list(t.name) AS i,
          pragma_index_xinfo(i.name) AS c WHERE c.key = 1 ORDER BY 1, iif(i.origin = 'c', i.name, i.origin), 4`.execute(
        database,
      );
      await database.destroy();
      return { columns, indexes };
    };
    const created = await schemaIn(folder);
    // The build after it changed rows only.
    for (const version of [8, 9]) {
      const earlier = join(folder, `earlier-${version}`);
      mkdirSync(earlier);
      const file = new DatabaseSync(join(earlier, 'service.sqlite'));
      file.exec(readFileSync(join(repository, 'test', 'fixtures', 'data-0.1.0.sql'), 'utf8'));
      file.exec(`PRAGMA user_version = ${version}`);
      file.close();
      assert.deepEqual(await schemaIn(earlier), created);
    }
  });

  it('completes a file that was written between two releases', async () => {
    const database = await openDatabase(folder, silentLog, 0);
    await sessionTable(database).insert(row);
    await sql`ALTER TABLE crawl_document DROP COLUMN packed`.execute(database);
    await sql`DROP INDEX activity_by_age`.execute(database);
    await sql`DROP INDEX crawl_page_waiting`.execute(database);
    await sql`CREATE INDEX crawl_page_waiting ON crawl_page (job, origin, id) WHERE state = 0`.execute(database);
    await sql`DROP INDEX webhook_delivery_due_of_team`.execute(database);
    await sql`CREATE INDEX webhook_delivery_due_by_receiver ON webhook_delivery (url, due_at)`.execute(database);
    await sql`ALTER TABLE access_key DROP COLUMN kind`.execute(database);
    await sql`ALTER TABLE access_key RENAME TO agent_key`.execute(database);
    await sql`INSERT INTO agent_key (id, team, name, digest, created_at) VALUES ('key', 'team', 'name', 'digest', 1)`.execute(
      database,
    );
    await sql`PRAGMA user_version = 31`.execute(database);
    await database.destroy();
    const again = await openDatabase(folder, silentLog, 0);
    assert.ok(await sessionTable(again).find('one'));
    await sql`SELECT packed FROM crawl_document`.execute(again);
    await sql`SELECT 1 FROM activity INDEXED BY activity_by_age`.execute(again);
    const { rows: waiting } = await sql<{
      name: string;
    }>`SELECT name FROM pragma_index_info('crawl_page_waiting')`.execute(again);
    assert.deepEqual(
      waiting.map(({ name }) => name),
      ['job', 'for_links', 'origin', 'id'],
    );
    const { rows: ofReceivers } = await sql<{
      name: string;
    }>`SELECT name FROM pragma_index_list('webhook_delivery') WHERE name LIKE '%_due_%'`.execute(again);
    assert.deepEqual(ofReceivers, [{ name: 'webhook_delivery_due_of_team' }]);
    assert.deepEqual(await again.selectFrom('access_key').select(['id', 'kind']).execute(), [
      { id: 'key', kind: 'agent' },
    ]);
    await again.destroy();
  });

  it('rolls back a failed transaction completely', async () => {
    const database = await openDatabase(folder, silentLog, 0);
    const table = sessionTable(database);
    await assert.rejects(
      transaction(database, async (tx) => {
        await table.insert(row, tx);
        throw new Error('midway');
      }),
      /midway/,
    );
    assert.equal(await table.find('one'), undefined);
    await database.destroy();
  });

  it('rejects a query that would wait for its own transaction', async () => {
    const database = await openDatabase(folder, silentLog, 0);
    const table = sessionTable(database);
    await assert.rejects(
      transaction(database, async () => await table.insert(row)),
      /Pass the transaction to it/,
    );
    assert.equal(await table.find('one'), undefined);
    await database.destroy();
  });

  it('lets transactions take turns, whatever they wait for, and queries see what is committed (STO-04)', async () => {
    const database = await openDatabase(folder, silentLog, 0);
    const table = sessionTable(database);
    const order: string[] = [];
    let found: unknown = 'not read';
    const slow = transaction(database, async (tx) => {
      await table.insert(row, tx);
      await waitFor(() => found !== 'not read');
      order.push('slow');
      throw new Error('midway');
    });
    const other = table.insert(row).then(() => order.push('other'));
    found = await table.find('one');
    await assert.rejects(slow, /midway/);
    await other;
    assert.equal(found, undefined);
    assert.deepEqual(order, ['slow', 'other']);
    assert.equal((await table.find('one'))?.ttl, 600);
    await database.destroy();
  });

  it('checks the file only after an unclean shutdown, and moves a damaged one aside at the next start (F10)', async () => {
    const location = { dataDir: folder, url: undefined };
    const path = join(folder, 'service.sqlite');
    const first = await openStorage(location, silentLog, 0);
    const { database } = first;
    for (let index = 0; index < 300; index++)
      await sessionTable(database).insert({ ...row, id: `${index}`, key_label: 'x'.repeat(3000) });
    await first.close();
    const bytes = readFileSync(path);
    // Pages in the middle, which a start doesn't read.
    bytes.fill(0x5a, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 3 * 4096);
    writeFileSync(path, bytes);

    const clean = await openStorage(location, silentLog, 0);
    await clean.check();
    await clean.close();
    assert.ok(!readdirSync(folder).includes('service.sqlite.damaged'));
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });

    writeFileSync(`${path}-wal`, '');
    const unclean = await openStorage(location, silentLog, 0);
    await unclean.check();
    await unclean.close();
    assert.ok(readdirSync(folder).includes('service.sqlite.damaged'));

    const next = await openStorage(location, silentLog, Date.UTC(2026, 1, 3));
    assert.equal(await sessionTable(next.database).find('1'), undefined);
    await next.close();
    const names = readdirSync(folder);
    assert.ok(names.some((name) => name.startsWith('service.sqlite.corrupt-2026-02-03')));
    assert.ok(!names.includes('service.sqlite.damaged'));
  });

  it('locks the data directory for one process (STO-04)', async () => {
    const unlock = lockDataDir(folder);
    assert.throws(() => lockDataDir(folder), DataDirInUse);
    unlock();
    lockDataDir(folder)();
  });

  it("treats a lock file that isn't a database as stale (PRT-07)", async () => {
    writeFileSync(join(folder, 'lock.sqlite'), 'garbage that is not a database, and long enough to be looked at');
    lockDataDir(folder)();
  });
});
