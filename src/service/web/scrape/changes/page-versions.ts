import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { createTurn } from '../../../platform/async.ts';
import { messageOf } from '../../../platform/errors.ts';
import { slices } from '../../../platform/large-json.ts';
import {
  type Database,
  indexable,
  type NewRow,
  packText,
  plainText,
  type Unreadable,
  unpackText,
} from '../../../platform/storage/storage.ts';

/** Which history of which page a version belongs to. */
export interface PageKey {
  team: string;
  tag: string | undefined;
  url: string;
}

/** A stored version of a page. */
export type PageVersion = NonNullable<Awaited<ReturnType<PageVersions['find']>>>;

/** A version to store, or the end of a page's history. */
export type NewPageVersion = NewRow<'page_version'> | RemovedPage;
type RemovedPage = ReturnType<typeof storedKey> & { removed: true };

/** The last version of each page, for each team and tag. The oldest are removed when a team has too many. */
export type PageVersions = ReturnType<typeof pageVersions>;

/** Maximum number of versions of a team, and of bytes of them. */
const maxVersions = { count: 50_000, bytes: 512 * 1024 * 1024 };
/** Teams are checked after this many versions or bytes. */
const checkedEvery = { count: 500, bytes: 16 * 1024 * 1024 };
/** Longer Markdown isn't stored, so changes of it are noticed but can't be shown. */
const longestMarkdown = 4 * 1024 * 1024;
/** Bytes of a row besides its texts. */
const overhead = 200;
/** Maximum number of rows in a statement. */
const rowsAtATime = 100;

/** Returns a version to store. */
export async function newPageVersion(
  key: PageKey,
  markdown: string,
  scrapedAt: number,
): Promise<NewRow<'page_version'>> {
  const packed = markdown.length > longestMarkdown ? null : await packText(markdown);
  const stored = storedKey(key);
  const bytes = overhead + stored.url.length + (packed?.byteLength ?? 0);
  return { ...stored, scraped_at: scrapedAt, digest: await digestOf(markdown), packed, bytes };
}

/** Returns what removes the version of a page. */
export function removedPage(key: PageKey): NewPageVersion {
  return { ...storedKey(key), removed: true };
}

/** Returns the digest that tells whether Markdown changed: white space doesn't count. */
export async function digestOf(markdown: string): Promise<string> {
  const hash = createHash('sha256');
  const turn = createTurn();
  let before = ' ';
  for (const slice of slices(markdown.trim())) {
    if (turn.isOver) await turn.end();
    const text = slice.replaceAll(/\s+/g, ' ');
    hash.update(before.endsWith(' ') && text.startsWith(' ') ? text.slice(1) : text);
    before = text;
  }
  return hash.digest('base64url');
}

function storedKey({ team, tag = '', url }: PageKey) {
  return { team, tag: plainText(tag), url: indexable(plainText(url)) };
}

/** @param limits most versions of a team, and most bytes of them */
export function pageVersions(database: Database, unreadable: Unreadable, limits = maxVersions) {
  /** Teams that were checked since the start; a service that runs briefly may never reach the limits of `check`. */
  const checked = new Set<string>();
  const sinceCheck = { count: 0, bytes: 0, teams: new Set<string>() };
  const check = {
    count: Math.min(checkedEvery.count, limits.count),
    bytes: Math.min(checkedEvery.bytes, limits.bytes),
  };

  async function removeOldest(team: string, db: Database): Promise<void> {
    await sql`
      DELETE FROM page_version WHERE team = ${team} AND (tag, url) IN (
        SELECT tag, url FROM (
          SELECT tag, url, row_number() OVER newest AS position, sum(bytes) OVER newest AS total
          FROM page_version WHERE team = ${team} WINDOW newest AS (ORDER BY scraped_at DESC, tag, url)
        ) AS ranked WHERE position > ${limits.count} OR total > ${limits.bytes})`.execute(db);
  }

  return {
    /**
     * Returns when the version was made, in wall-clock milliseconds, its digest and its Markdown. The digest is equal for Markdown
     * that differs only in its white space. The Markdown is undefined if it was too long to be stored. Returns undefined if no
     * version is stored.
     */
    async find(key: PageKey) {
      const { team, tag, url } = storedKey(key);
      const row = await database
        .selectFrom('page_version')
        .selectAll()
        .where('team', '=', team)
        .where('tag', '=', tag)
        .where('url', '=', url)
        .executeTakeFirst();
      if (!row) return undefined;
      try {
        const markdown = row.packed === null ? undefined : await unpackText(row.packed);
        return { scrapedAt: row.scraped_at, digest: row.digest, markdown };
      } catch (error) {
        await unreadable.setAside('page_version', { id: row.digest, ...row }, messageOf(error), (tx) =>
          tx.deleteFrom('page_version').where('team', '=', team).where('tag', '=', tag).where('url', '=', url),
        );
        return undefined;
      }
    },
    /** Returns URLs of an origin after `after` that have a version, in order; very long ones are left out. */
    async urls(
      { origin, ...key }: Omit<PageKey, 'url'> & { origin: string },
      after: string,
      count: number,
    ): Promise<string[]> {
      const { team, tag } = storedKey({ ...key, url: '' });
      const rows = await database
        .selectFrom('page_version')
        .select('url')
        .where('team', '=', team)
        .where('tag', '=', tag)
        .where('url', '>=', `${origin}/`)
        // The character after the slash.
        .where('url', '<', `${origin}0`)
        .where('url', '>', after)
        .orderBy('url')
        .limit(count)
        .execute();
      return rows.map(({ url }) => url);
    },
    /** Stores versions in place of earlier ones of the same pages, and removes those of removed pages. */
    async store(versions: readonly NewPageVersion[], db: Database = database): Promise<void> {
      // A statement can't store two versions of one page.
      const last = [...new Map(versions.map((row) => [JSON.stringify([row.team, row.tag, row.url]), row])).values()];
      for (const { team, tag, url } of last.filter((row) => 'removed' in row)) {
        await db
          .deleteFrom('page_version')
          .where('team', '=', team)
          .where('tag', '=', tag)
          .where('url', '=', url)
          .execute();
      }
      const rows = last.filter((row): row is NewRow<'page_version'> => !('removed' in row));
      for (let index = 0; index < rows.length; index += rowsAtATime) {
        await db
          .insertInto('page_version')
          .values(rows.slice(index, index + rowsAtATime))
          .onConflict((conflict) =>
            conflict.columns(['team', 'tag', 'url']).doUpdateSet(({ ref }) => ({
              scraped_at: ref('excluded.scraped_at'),
              digest: ref('excluded.digest'),
              packed: ref('excluded.packed'),
              bytes: ref('excluded.bytes'),
            })),
          )
          .execute();
      }
      sinceCheck.count += rows.length;
      sinceCheck.bytes += rows.reduce((sum, { bytes }) => sum + bytes, 0);
      for (const { team } of rows) sinceCheck.teams.add(team);
      const isFull = sinceCheck.count >= check.count || sinceCheck.bytes >= check.bytes;
      const due = [...sinceCheck.teams].filter((team) => isFull || !checked.has(team));
      if (isFull) Object.assign(sinceCheck, { count: 0, bytes: 0, teams: new Set<string>() });
      for (const team of due) {
        await removeOldest(team, db);
        checked.add(team);
      }
    },
  };
}
