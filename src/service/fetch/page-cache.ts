import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { openSqliteInThreads, transaction } from '../../storage/storage.ts';
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
  find(team: string, key: string, age: { min?: number | undefined; max: number }): Promise<CachedPage | undefined>;
  store(team: string, key: string, page: Omit<CachedPage, 'storedAt'>): void;
  close(): Promise<void>;
}

const maxBytes = 256 * 1024 * 1024;
/** Pages are written in batches after this delay: many small transactions would slow crawls down. */
const flushDelayMs = 200;
const maxWaiting = 100;
const setUp = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS page_1 (
    team TEXT NOT NULL, key TEXT NOT NULL, url TEXT NOT NULL, status INTEGER NOT NULL, content_type TEXT, body BLOB NOT NULL,
    rendered INTEGER NOT NULL, stored_at INTEGER NOT NULL, PRIMARY KEY (team, key)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS page_1_by_age ON page_1 (stored_at);`;
const maxEvictions = 50;
const evicted = 200;
/** Maximum number of rows in a statement. */
const rowsAtATime = 25;

interface Schema {
  page_1: {
    team: string;
    key: string;
    url: string;
    status: number;
    content_type: string | null;
    body: Uint8Array;
    rendered: number;
    stored_at: number;
  };
}

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
  const open = () => openSqliteInThreads<Schema>(path, { setUp, reader: false });
  let database: Kysely<Schema>;
  try {
    database = open();
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'the page cache is unreadable: replaced it with an empty one');
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    database = open();
  }
  const waiting = new Map<string, { team: string; key: string; page: CachedPage }>();
  let storing: Promise<void> | undefined;
  let cancel: (() => void) | undefined;

  /** Stores what waits. Never rejects. */
  async function flush(): Promise<void> {
    cancel?.();
    cancel = undefined;
    while (storing) await storing;
    if (waiting.size === 0) return;
    storing = store([...waiting.values()]).finally(() => {
      storing = undefined;
    });
    waiting.clear();
    await storing;
  }

  async function store(pages: { team: string; key: string; page: CachedPage }[]): Promise<void> {
    try {
      await transaction(database, async (tx) => {
        const rows = pages.map(({ team, key, page: { url, status, contentType, body, rendered, storedAt } }) => ({
          ...{ team, key, url, status, content_type: contentType ?? null, body },
          ...{ rendered: Number(rendered), stored_at: storedAt },
        }));
        for (let index = 0; index < rows.length; index += rowsAtATime) {
          await tx
            .replaceInto('page_1')
            .values(rows.slice(index, index + rowsAtATime))
            .execute();
        }
        for (let round = 0; round < maxEvictions && (await usedBytes(tx)) > maxBytes; round++) {
          await sql`DELETE FROM page_1 WHERE rowid IN (SELECT rowid FROM page_1 ORDER BY stored_at LIMIT ${evicted})`.execute(
            tx,
          );
        }
      });
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'could not cache pages');
    }
  }

  return {
    async find(team, key, { min = 0, max }) {
      if (storing || waiting.has(`${team} ${key}`)) await flush();
      const now = clock.now();
      const row = await database
        .selectFrom('page_1')
        .select(['url', 'status', 'content_type', 'body', 'rendered', 'stored_at'])
        .where('team', '=', team)
        .where('key', '=', key)
        .where('stored_at', '>=', Math.max(0, now - Math.min(max, now)))
        .where('stored_at', '<=', now - min)
        .executeTakeFirst();
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
      if (waiting.size >= maxWaiting) void flush();
      else cancel ??= clock.after(flushDelayMs, () => void flush());
    },
    async close() {
      await flush();
      await database.destroy();
    },
  };
}

async function usedBytes(database: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    SELECT ((SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count))
      * (SELECT page_size FROM pragma_page_size) AS bytes`.execute(database);
  return rows[0]?.bytes ?? 0;
}
