/** The schema of the received deliveries, by version. */
export const migrations = [
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
  // Nothing shows what was sent: the delivery has it, and an edited body is in its own file.
  `
  ALTER TABLE forwarding DROP COLUMN request_headers;
  ALTER TABLE forwarding DROP COLUMN request_body`,
];
/** Full: a commit is on disk when it returns, so that acknowledged deliveries survive a crash. */
export const setUp = `
  PRAGMA busy_timeout = 5000; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 4000`;
