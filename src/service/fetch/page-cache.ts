import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';

/** A page as it was fetched or rendered, before conversion. */
export interface CachedPage {
  url: string;
  status: number;
  contentType: string | undefined;
  body: Uint8Array;
  rendered: boolean;
  /** Wall-clock milliseconds. */
  storedAt: number;
}

/** A cache of pages for scrapes that allow an older copy. Deleting it loses no data. */
export interface PageCache {
  /** Returns the page of a key if its age, in milliseconds, is within the limits. */
  find(team: string, key: string, age: { min?: number | undefined; max: number }): CachedPage | undefined;
  store(team: string, key: string, page: Omit<CachedPage, 'storedAt'>): void;
  close(): void;
}

const maxBytes = 256 * 1024 * 1024;
/** Pages are written in batches after this delay: many small transactions would slow crawls down. */
const flushDelayMs = 200;
const maxWaiting = 100;
const schema = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA auto_vacuum = INCREMENTAL;
  CREATE TABLE IF NOT EXISTS page_1 (
    team TEXT NOT NULL, key TEXT NOT NULL, url TEXT NOT NULL, status INTEGER NOT NULL, content_type TEXT, body BLOB NOT NULL,
    rendered INTEGER NOT NULL, stored_at INTEGER NOT NULL, PRIMARY KEY (team, key)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS page_1_by_age ON page_1 (stored_at);`;

/** Returns the cache key of a page: its URL without the fragment, and the options that affect the site's response. */
export function cacheKey(url: string, options: Readonly<Record<string, unknown>>): string {
  const [bare = url] = url.split('#', 1);
  return createHash('sha256')
    .update(JSON.stringify([bare, options]))
    .digest('base64url');
}

/** Opens the cache in a data directory. An unreadable one is replaced with an empty one. */
export function openPageCache(dataDir: string, clock: Clock, log: Log): PageCache {
  const path = join(dataDir, 'pages.sqlite');
  let database: DatabaseSync;
  try {
    database = open(path);
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'the page cache is unreadable: replaced it with an empty one');
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    database = open(path);
  }
  const find = database.prepare(
    'SELECT url, status, content_type, body, rendered, stored_at FROM page_1 WHERE team = ? AND key = ? AND stored_at BETWEEN ? AND ?',
  );
  const insert = database.prepare('INSERT OR REPLACE INTO page_1 VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const evict = database.prepare(
    'DELETE FROM page_1 WHERE rowid IN (SELECT rowid FROM page_1 ORDER BY stored_at LIMIT 200)',
  );
  const size = database.prepare(
    'SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS bytes',
  );
  const free = database.prepare(
    'SELECT (SELECT freelist_count FROM pragma_freelist_count) * (SELECT page_size FROM pragma_page_size) AS bytes',
  );
  const bytesOf = (statement: typeof size) => (statement.get() as { bytes: number }).bytes;
  const waiting = new Map<string, { team: string; key: string; page: CachedPage }>();
  let cancel: (() => void) | undefined;

  function flush(): void {
    cancel?.();
    cancel = undefined;
    if (waiting.size === 0) return;
    try {
      database.exec('BEGIN');
      for (const { team, key, page } of waiting.values()) {
        const { url, status, contentType, body, rendered, storedAt } = page;
        insert.run(team, key, url, status, contentType ?? null, body, Number(rendered), storedAt);
      }
      for (let round = 0; round < 50 && bytesOf(size) - bytesOf(free) > maxBytes; round++) evict.run();
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      log.warn({ reason: messageOf(error) }, 'could not cache pages');
    }
    waiting.clear();
  }

  return {
    find(team, key, { min = 0, max }) {
      if (waiting.has(`${team} ${key}`)) flush();
      const now = clock.now();
      const row = find.get(team, key, Math.max(0, now - Math.min(max, now)), now - min) as Row | undefined;
      return (
        row && {
          url: row.url,
          status: row.status,
          contentType: row.content_type ?? undefined,
          body: row.body,
          rendered: row.rendered === 1,
          storedAt: row.stored_at,
        }
      );
    },
    store(team, key, page) {
      waiting.set(`${team} ${key}`, { team, key, page: { ...page, storedAt: clock.now() } });
      if (waiting.size >= maxWaiting) flush();
      else cancel ??= clock.after(flushDelayMs, flush);
    },
    close() {
      flush();
      database.close();
    },
  };
}

interface Row {
  url: string;
  status: number;
  content_type: string | null;
  body: Uint8Array;
  rendered: number;
  stored_at: number;
}

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    database.exec(schema);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
