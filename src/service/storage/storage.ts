import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { migrations } from './migrations.ts';

/** Another service holds the data dir. */
export class DataDirInUse extends Error {
  constructor(dataDir: string) {
    super(
      `Another service is running on the data dir ${dataDir}. Join that one, end it, or give --data-dir another folder.`,
    );
    this.name = 'DataDirInUse';
  }
}

/**
 * Holds the data dir for this process alone, by a lock of the operating system on a file: a service that
 * dies in any way lets go of it. Gives back the release. Throws DataDirInUse.
 */
export function lockDataDir(dataDir: string): () => void {
  const path = join(dataDir, 'lock.sqlite');
  let lock = new DatabaseSync(path);
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (isLocked(error)) throw new DataDirInUse(dataDir);
    if (!isCorrupt(error)) throw error;
    rmSync(path);
    lock = new DatabaseSync(path);
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  }
  return () => lock.close();
}

/**
 * Opens the one database of the service and brings its schema up to date.
 * A file that is damaged is moved aside, kept for a person to look at, and the service starts with a new one.
 */
export function openDatabase(dataDir: string, log: Log, now: number): DatabaseSync {
  const path = join(dataDir, 'service.sqlite');
  try {
    return prepare(path);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    const aside = `${path}.corrupt-${new Date(now).toISOString().replaceAll(':', '-')}`;
    renameSync(path, aside);
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    log.error({ aside, reason: messageOf(error) }, 'the database was damaged: it was moved aside and a new one begun');
    return prepare(path);
  }
}

function prepare(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 5000',
    );
    const check = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
    if (check.quick_check !== 'ok') throw new CorruptDatabase(check.quick_check);
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

class CorruptDatabase extends Error {}

function migrate(database: DatabaseSync): void {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > migrations.length) {
    throw new Error(
      `The database was written by a newer version (schema ${version}, this one knows ${migrations.length}). Update, or use another --data-dir.`,
    );
  }
  migrations.slice(version).forEach((sql, index) => {
    transaction(database, () => database.exec(`${sql}; PRAGMA user_version = ${version + index + 1}`));
  });
}

/** Runs `work` in a transaction: all of it is stored, or nothing. */
export function transaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function isLocked(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 5;
}

/** SQLITE_CORRUPT and SQLITE_NOTADB, with any extended code. */
function isCorrupt(error: unknown): boolean {
  const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
  return error instanceof CorruptDatabase || code === 11 || code === 26;
}
