import assert from 'node:assert/strict';
import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '../../../src/service/log.ts';
import { createBilling } from '../../../src/service/sessions/billing.ts';
import { sessionTable } from '../../../src/service/sessions/session-table.ts';
import { DataDirInUse, lockDataDir, openDatabase, transaction } from '../../../src/service/storage/storage.ts';
import { createLedger } from '../../../src/service/team/ledger.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { temporaryFolder } from '../../harness/folders.ts';

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
    downloads: null,
  };

  it('keeps its data, and migrates once', () => {
    const first = openDatabase(folder, silentLog, 0);
    sessionTable(first).insert(row);
    first.close();
    const again = openDatabase(folder, silentLog, 0);
    assert.equal(sessionTable(again).find('one')?.ttl, 600);
    again.close();
  });

  it('ends the sessions of a killed service, and bills them once', () => {
    const database = openDatabase(folder, silentLog, 0);
    const table = sessionTable(database);
    table.insert(row);
    const ledger = createLedger(database, createFakeClock(), undefined);
    for (let start = 0; start < 2; start++) createBilling(database, table, ledger).endOrphans();
    const ended = table.find('one');
    assert.equal(ended?.status, 'destroyed');
    assert.equal(ended?.duration_ms, 1000);
    assert.equal(ended?.ended_at, 2000);
    assert.equal(ended?.credits_billed, 2);
    assert.equal(ledger.periods('red', false).at(-1)?.tokensUsed, 2 * 15);
    database.close();
  });

  const damages: Record<string, (path: string) => void> = {
    'a header overwritten': (path) =>
      writeFileSync(path, 'not a database at all, just text that is long enough to be read'),
    'a file cut in half': (path) => truncateSync(path, 4096 + 100),
  };
  for (const [what, damage] of Object.entries(damages)) {
    it(`moves ${what} aside and starts with a new file`, () => {
      const database = openDatabase(folder, silentLog, 0);
      sessionTable(database).insert(row);
      database.close();
      damage(join(folder, 'service.sqlite'));
      const fresh = openDatabase(folder, silentLog, Date.UTC(2026, 1, 3));
      assert.equal(sessionTable(fresh).find('one'), undefined);
      fresh.close();
      assert.ok(readdirSync(folder).some((name) => name.startsWith('service.sqlite.corrupt-2026-02-03')));
    });
  }

  it('rejects a database of a newer version, and leaves it unchanged', () => {
    const database = openDatabase(folder, silentLog, 0);
    database.exec('PRAGMA user_version = 9999');
    database.close();
    assert.throws(() => openDatabase(folder, silentLog, 0), /newer version/);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('corrupt')),
      [],
    );
  });

  it('rolls back a failed transaction completely', () => {
    const database = openDatabase(folder, silentLog, 0);
    const table = sessionTable(database);
    assert.throws(
      () =>
        transaction(database, () => {
          table.insert(row);
          throw new Error('midway');
        }),
      /midway/,
    );
    assert.equal(table.find('one'), undefined);
    database.close();
  });

  it('locks the data directory for one process', () => {
    const unlock = lockDataDir(folder);
    assert.throws(() => lockDataDir(folder), DataDirInUse);
    unlock();
    lockDataDir(folder)();
  });

  it("treats a lock file that isn't a database as stale", () => {
    writeFileSync(join(folder, 'lock.sqlite'), 'garbage that is not a database, and long enough to be looked at');
    lockDataDir(folder)();
  });
});
