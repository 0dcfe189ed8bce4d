import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shorten } from '../../../contract/shorten.ts';
import { isDamaged, NewerSchema, openSqlite, openSqliteInThreads } from '../../../storage/storage.ts';
import { messageOf } from '../errors.ts';
import { type Log, silentLog } from '../log.ts';
import { startThread } from '../system/start-thread.ts';
import { loadPostgres } from './load-postgres.ts';
import { sqliteMigrations } from './migrations.ts';
import type { Database, Schema } from './schema.ts';

export { DataDirInUse, lockDataDir } from './data-dir-lock.ts';
export type { PoolUse } from './postgres-pool.ts';
export { storageError } from './problems.ts';
export { jsonRows, type LeftBy, leftBehind, lockAlone, lockTeam, lockTogether } from './queries.ts';
export type { Database, NewRow, Row } from './schema.ts';
export { indexable, packText, plainText, storedObject, unpackBytes, unpackText } from './text.ts';
export { createUnreadable, type Unreadable } from './unreadable.ts';

/** Pragmas of every connection to the service's SQLite file. What is deleted is overwritten: it may be a key or a password. */
export const setUp = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON;
  PRAGMA busy_timeout = 5000`;

/** Where the service's database is. */
export interface DatabaseLocation {
  /** Folder of the SQLite file. */
  dataDir: string;
  /** URL of a PostgreSQL database to use instead. */
  url: string | undefined;
}

/**
 * Opens the service's database and migrates its schema; services that share one are a fleet. `check` looks for damage that
 * an unclean end may have left, in the background, and never rejects. `checkShared` may refuse a shared one before anything
 * in it is changed. Throws an Error with a message to show.
 */
export async function openStorage(
  { dataDir, url }: DatabaseLocation,
  log: Log,
  now: number,
  checkShared?: (database: Database) => Promise<void>,
) {
  if (url === undefined) {
    const path = databasePath(dataDir);
    // A service that closes its database leaves no log of writes beside it.
    const isUnclean = existsSync(`${path}-wal`);
    const database = await openDatabase(dataDir, log, now);
    return {
      database,
      poolUse: () => undefined,
      check: async (): Promise<void> => (isUnclean ? await checkAfterUncleanEnd(path, log) : undefined),
      close: (): Promise<void> => database.destroy(),
    };
  }
  const { connectPostgres, describePostgresProblem, migratePostgres, reachPostgres } = await loadPostgres();
  const database = connectPostgres(url, log);
  try {
    await reachPostgres(url, log);
    await checkShared?.(database);
    await migratePostgres(url, log);
    const { poolUse } = database;
    return { database, poolUse, check: async (): Promise<void> => undefined, close: () => database.destroy() };
  } catch (error) {
    await database.destroy();
    throw describePostgresProblem(error);
  }
}

/** Opens the service's database for reading, in a thread of its own. */
export async function openReader({ dataDir, url }: DatabaseLocation): Promise<Database> {
  if (url !== undefined) return (await loadPostgres()).connectPostgres(url, silentLog, 1);
  return openSqlite<Schema>(databasePath(dataDir), { setUp: 'PRAGMA busy_timeout = 5000', readOnly: true });
}

/** Returns the path of the service's database. */
export function databasePath(dataDir: string): string {
  return join(dataDir, 'service.sqlite');
}

/**
 * Opens the service's database and migrates its schema.
 * A damaged file is moved aside for inspection, and the service starts with a new one.
 */
export async function openDatabase(dataDir: string, log: Log, now: number): Promise<Database> {
  const path = databasePath(dataDir);
  if (existsSync(path + damagedSuffix)) {
    moveAside(path, log, now, 'the check after an earlier start found damage');
    rmSync(path + damagedSuffix);
  }
  const open = () =>
    openSqliteInThreads<Schema>(path, {
      setUp,
      migrations: sqliteMigrations,
      reader: true,
      staysInPlace: true,
    });
  try {
    return open();
  } catch (error) {
    if (error instanceof NewerSchema) {
      throw new Error(
        `The database was written by a newer version (schema ${error.found}; this version supports ${error.supported}). Update, or use another --data-dir.`,
      );
    }
    if (!isDamaged(error)) {
      throw new Error(
        `The database ${shorten(path)} can't be opened: ${messageOf(error)}. Check the disk and the permissions of the file and its folder, or set --data-dir to another folder.`,
        { cause: error },
      );
    }
    moveAside(path, log, now, messageOf(error));
    return open();
  }
}

/** Marks a file that is to be moved aside at the next start. */
const damagedSuffix = '.damaged';

/**
 * Checks the file of a service that ended without closing it. What can be read of a damaged file stays in use, and the
 * next start moves it aside. Never rejects.
 */
async function checkAfterUncleanEnd(path: string, log: Log): Promise<void> {
  try {
    const problem = await quickCheck(path);
    if (problem === undefined) return;
    writeFileSync(path + damagedSuffix, '');
    log.error({ reason: problem }, 'the database is damaged: the next start moves it aside and creates a new one');
  } catch (error) {
    log.warn({ reason: messageOf(error) }, "the database couldn't be checked");
  }
}

function moveAside(path: string, log: Log, now: number, reason: string): void {
  const aside = `${path}.corrupt-${new Date(now).toISOString().replaceAll(':', '-')}`;
  if (existsSync(path)) renameSync(path, aside);
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  log.error({ aside, reason }, 'the database was damaged: moved it aside and created a new one');
}

/** Reads a whole file, which takes seconds for a large one, so it has a thread of its own. */
const program = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const file = new DatabaseSync(workerData, { readOnly: true });
  try {
    parentPort.postMessage(file.prepare('PRAGMA quick_check(1)').get().quick_check);
  } finally {
    file.close();
  }`;

/** Checks an SQLite file in the background. Returns what is wrong with it, or undefined. */
function quickCheck(path: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const worker = startThread(program, { eval: true, workerData: path });
    worker.unref();
    worker.once('message', (found: string) => resolve(found === 'ok' ? undefined : found));
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The check stopped unexpectedly.')));
  });
}
