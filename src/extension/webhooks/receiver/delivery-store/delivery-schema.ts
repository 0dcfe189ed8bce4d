import { renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const schema = `
  CREATE TABLE delivery (
    num INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    type TEXT NOT NULL,
    job_id TEXT NOT NULL,
    success INTEGER NOT NULL,
    error TEXT,
    verification TEXT NOT NULL,
    size INTEGER NOT NULL,
    page_url TEXT,
    pages INTEGER NOT NULL,
    has_markdown INTEGER NOT NULL,
    repeats INTEGER NOT NULL DEFAULT 0,
    conflicts INTEGER NOT NULL DEFAULT 0,
    headers TEXT NOT NULL,
    body BLOB NOT NULL
  ) STRICT;
  CREATE INDEX delivery_by_job ON delivery (job_id, num);
  CREATE INDEX delivery_by_webhook_id ON delivery (webhook_id);
  CREATE INDEX delivery_by_age ON delivery (received_at, size);
  CREATE TABLE seen (
    webhook_id TEXT PRIMARY KEY,
    digest BLOB NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX seen_by_age ON seen (at);
  CREATE TABLE forwarding (
    num INTEGER PRIMARY KEY AUTOINCREMENT,
    delivery INTEGER NOT NULL REFERENCES delivery (num) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    url TEXT NOT NULL,
    edited INTEGER NOT NULL,
    status INTEGER,
    error TEXT,
    ms REAL NOT NULL,
    cut INTEGER NOT NULL,
    status_text TEXT NOT NULL,
    request_headers TEXT NOT NULL,
    headers TEXT NOT NULL,
    body BLOB NOT NULL,
    request_body BLOB
  ) STRICT;
  CREATE INDEX forwarding_by_delivery ON forwarding (delivery, num);
  PRAGMA user_version = 1`;
const schemaVersion = 1;

/**
 * Opens the database of received deliveries. A commit is on disk when it returns, so that acknowledged deliveries
 * survive a crash. A damaged file, or one with another schema version, is moved aside and replaced.
 */
export function openDeliveryDatabase(path: string, onMovedAside: (to: string) => void): DatabaseSync {
  try {
    return prepare(path);
  } catch (error) {
    if (!isUnusable(error)) throw error;
    const aside = `${path}.unusable-${Date.now()}`;
    renameSync(path, aside);
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    onMovedAside(aside);
    return prepare(path);
  }
}

class UnusableDatabase extends Error {}

function prepare(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    database.exec(
      `PRAGMA busy_timeout = 5000; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
       PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 4000`,
    );
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (version === 0) database.exec(`BEGIN IMMEDIATE; ${schema}; COMMIT`);
    else if (version !== schemaVersion) throw new UnusableDatabase(`schema ${version}`);
    else database.prepare('SELECT count(*) FROM delivery').get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** True for SQLITE_CORRUPT and SQLITE_NOTADB with any extended code, and for another schema version. */
function isUnusable(error: unknown): boolean {
  const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
  return error instanceof UnusableDatabase || code === 11 || code === 26;
}
