import { renameSync, rmSync } from 'node:fs';
import type { Generated, Kysely } from 'kysely';
import { isDamaged, NewerSchema, openSqlite } from '../../../../storage/storage.ts';
import type { Verification } from '../deliveries.ts';

const migrations = [
  `
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
  CREATE INDEX forwarding_by_delivery ON forwarding (delivery, num)`,
];
// Full: a commit is on disk when it returns.
const setUp = `
  PRAGMA busy_timeout = 5000; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 4000`;

export interface DeliverySchema {
  delivery: {
    num: Generated<number>;
    webhook_id: string;
    received_at: number;
    type: string;
    job_id: string;
    success: number;
    error: string | null;
    verification: Verification;
    size: number;
    page_url: string | null;
    pages: number;
    has_markdown: number;
    repeats: Generated<number>;
    conflicts: Generated<number>;
    /** JSON. */
    headers: string;
    body: Uint8Array;
  };
  seen: { webhook_id: string; digest: Uint8Array; at: number };
  forwarding: {
    num: Generated<number>;
    delivery: number;
    at: number;
    url: string;
    edited: number;
    status: number | null;
    error: string | null;
    ms: number;
    cut: number;
    status_text: string;
    request_headers: string;
    headers: string;
    body: Uint8Array;
    request_body: Uint8Array | null;
  };
}

export type DeliveryDatabase = Kysely<DeliverySchema>;

/**
 * Opens the database of received deliveries. A commit is on disk when it returns, so that acknowledged deliveries
 * survive a crash. A damaged file, or one with another schema version, is moved aside and replaced.
 */
export function openDeliveryDatabase(path: string, onMovedAside: (to: string) => void): DeliveryDatabase {
  const open = () => openSqlite<DeliverySchema>(path, { setUp, migrations });
  try {
    return open();
  } catch (error) {
    if (!isDamaged(error) && !(error instanceof NewerSchema)) throw error;
    const aside = `${path}.unusable-${Date.now()}`;
    renameSync(path, aside);
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    onMovedAside(aside);
    return open();
  }
}
