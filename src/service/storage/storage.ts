import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { orderKey } from '../../contract/page-order.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { migrations } from './migrations.ts';

/** Another service is using the data directory. */
export class DataDirInUse extends Error {
  constructor(dataDir: string) {
    super(
      `Another service is using the data directory ${dataDir}. Connect to it, stop it, or set --data-dir to another folder.`,
    );
    this.name = 'DataDirInUse';
  }
}

/**
 * Locks the data directory for this process with an operating system file lock, which is released however the
 * process exits. Returns a function that releases it. Throws DataDirInUse.
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

/** Returns the path of the service's database. */
export function databasePath(dataDir: string): string {
  return join(dataDir, 'service.sqlite');
}

/**
 * Opens the service's database and migrates its schema.
 * A damaged file is moved aside for inspection, and the service starts with a new one.
 */
export function openDatabase(dataDir: string, log: Log, now: number): DatabaseSync {
  const path = databasePath(dataDir);
  try {
    return prepare(path);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    const aside = `${path}.corrupt-${new Date(now).toISOString().replaceAll(':', '-')}`;
    renameSync(path, aside);
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    log.error({ aside, reason: messageOf(error) }, 'the database was damaged: moved it aside and created a new one');
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
      `The database was written by a newer version (schema ${version}; this version supports ${migrations.length}). Update, or use another --data-dir.`,
    );
  }
  database.function('order_key', { deterministic: true }, (text) => orderKey(String(text)));
  migrations.slice(version).forEach((sql, index) => {
    transaction(database, () => database.exec(`${sql}; PRAGMA user_version = ${version + index + 1}`));
  });
}

/** Runs `work` in a transaction and returns its result. If it throws, nothing is stored. */
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
