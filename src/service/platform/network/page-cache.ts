import { hash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { routeOf } from '../../../contract/addresses.ts';
import { openSqliteInThreads, transaction } from '../../../storage/storage.ts';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';

/** A page as it was fetched or rendered, before conversion. */
export interface CachedPage {
  url: string;
  status: number;
  contentType: string | undefined;
  /** That of a rendered page, in lower case. Its body is in UTF-8. */
  encoding?: string | undefined;
  /** Its Link header. */
  link?: string | undefined;
  body: Uint8Array;
  rendered: boolean;
  /** Why it was fetched or rendered. */
  because: string;
  /** Links that its closed menus add, if they were opened. */
  menuLinks?: readonly string[] | undefined;
  /** URLs of other pages that it went on with as it was scrolled. */
  goesOn?: readonly string[] | undefined;
  /** What the site compares to say that a page is unchanged, as its headers had it. */
  etag?: string | undefined;
  lastModified?: string | undefined;
  /** Wall-clock milliseconds. */
  storedAt: number;
}

/** A cache of pages for scrapes that allow an older copy. Deleting it loses no data. */
export type PageCache = ReturnType<typeof openPageCache>;

const maxBytes = 256 * 1024 * 1024;
/** Pages are written in batches after this delay: many small transactions would slow crawls down. */
const flushDelayMs = 200;
const maxWaiting = 100;
/** Maximum bytes of bodies that wait to be written, or are being written; further pages aren't cached. */
const maxWaitingBytes = 32 * 1024 * 1024;
const setUp = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA busy_timeout = 5000;
  DROP TABLE IF EXISTS page_1; DROP TABLE IF EXISTS page_2; DROP TABLE IF EXISTS page_3;
  DROP TABLE IF EXISTS page_4; DROP TABLE IF EXISTS page_5;
  CREATE TABLE IF NOT EXISTS page_6 (
    team TEXT NOT NULL, key TEXT NOT NULL, page TEXT NOT NULL, body BLOB NOT NULL, stored_at INTEGER NOT NULL,
    PRIMARY KEY (team, key)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS page_6_by_age ON page_6 (stored_at);`;
const maxEvictions = 50;
const evicted = 200;
/** Maximum number of rows in a statement. */
const rowsAtATime = 25;

interface Schema {
  page_6: {
    team: string;
    key: string;
    /** JSON of all else of the page. */
    page: string;
    body: Uint8Array;
    stored_at: number;
  };
}

/** Returns the cache key of a page: its URL without a fragment that isn't a route, and the options that affect the site's response. */
export function cacheKey(url: string, options: Readonly<Record<string, unknown>>): string {
  const [bare = url, ...fragment] = url.split('#');
  return hash('sha256', JSON.stringify([bare + routeOf(`#${fragment.join('#')}`), options]), 'base64url');
}

/** Opens the cache in a data directory. An unreadable one is replaced with an empty one. */
export function openPageCache(dataDir: string, clock: Clock, log: Log) {
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
  /** Bytes of what waits, and of what is being written. */
  let waitingBytes = 0;
  let storingBytes = 0;
  let storing: Promise<void> | undefined;
  let cancel: (() => void) | undefined;

  /** Stores what waits. Never rejects. */
  async function flush(): Promise<void> {
    cancel?.();
    cancel = undefined;
    while (storing) await storing;
    if (waiting.size === 0) return;
    storingBytes = waitingBytes;
    storing = store([...waiting.values()]).finally(() => {
      storing = undefined;
      storingBytes = 0;
    });
    waiting.clear();
    waitingBytes = 0;
    await storing;
  }

  async function store(pages: { team: string; key: string; page: CachedPage }[]): Promise<void> {
    try {
      await transaction(database, async (tx) => {
        const rows = pages.map(({ team, key, page: { body, storedAt, ...page } }) => {
          return { team, key, page: JSON.stringify(page), body, stored_at: storedAt };
        });
        for (let index = 0; index < rows.length; index += rowsAtATime) {
          await tx
            .replaceInto('page_6')
            .values(rows.slice(index, index + rowsAtATime))
            .execute();
        }
        for (let round = 0; round < maxEvictions && (await usedBytes(tx)) > maxBytes; round++) {
          await sql`DELETE FROM page_6 WHERE rowid IN (SELECT rowid FROM page_6 ORDER BY stored_at LIMIT ${evicted})`.execute(
            tx,
          );
        }
      });
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'could not cache pages');
    }
  }

  return {
    /** Returns the page of a key if its age, in milliseconds, is within the limits. */
    async find(team: string, key: string, { min = 0, max }: { min?: number | undefined; max: number }) {
      if (storing || waiting.has(`${team} ${key}`)) await flush();
      const now = clock.now();
      const row = await database
        .selectFrom('page_6')
        .selectAll()
        .where('team', '=', team)
        .where('key', '=', key)
        .where('stored_at', '>=', Math.max(0, now - Math.min(max, now)))
        .where('stored_at', '<=', now - min)
        .executeTakeFirst();
      if (!row) return undefined;
      const page = JSON.parse(row.page) as Omit<CachedPage, 'body' | 'storedAt'>;
      return { ...page, body: row.body, storedAt: row.stored_at };
    },
    store(team: string, key: string, page: Omit<CachedPage, 'storedAt'>): void {
      const id = `${team} ${key}`;
      waitingBytes -= waiting.get(id)?.page.body.byteLength ?? 0;
      waiting.delete(id);
      // The disk is slower than the web.
      if (storingBytes + waitingBytes + page.body.byteLength > maxWaitingBytes) return;
      waitingBytes += page.body.byteLength;
      waiting.set(id, { team, key, page: { ...page, storedAt: clock.now() } });
      if (waiting.size >= maxWaiting || waitingBytes >= maxWaitingBytes / 2) void flush();
      else cancel ??= clock.after(flushDelayMs, () => void flush());
    },
    async close(): Promise<void> {
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
