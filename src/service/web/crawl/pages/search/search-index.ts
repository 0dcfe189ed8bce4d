import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import { openSqlite, transaction } from '../../../../../storage/storage.ts';
import type { SearchedJob, SearchRequest } from './tasks.ts';
import { forIndex } from './words.ts';

/** A page for the index. */
export interface IndexedPage {
  /** Row id of the page. */
  row: number;
  /** Position in the job's list of pages. */
  place: number;
  title: string;
  url: string;
  text: string;
}

interface Schema {
  indexed: { job: string; place: number; pages: number };
}

/** Sorting more matches by rank takes too long; they are listed in the order in which they were stored. */
const maxRanked = 30_000;
/** Weights of the columns: a word in the title says more than one in the text. */
const weights = { scope: 0, title: 8, url: 2, text: 1 } as const;

const migrations = [
  `CREATE VIRTUAL TABLE page USING fts5(${Object.keys(weights).join(', ')}, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
   CREATE TABLE indexed (job TEXT PRIMARY KEY, place INTEGER NOT NULL, pages INTEGER NOT NULL) STRICT`,
];
const setUp = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000';
const rank = sql.raw(`bm25(page, ${Object.values(weights).join(', ')})`);

/** Opens the full-text index of pages, in a file of its own; creates it if there is none of this version. It can be rebuilt at any time. */
export function openSearchIndex(path: string) {
  const database = open(path);
  return {
    /** Returns the place of the last page of a job that is in the index, and how many are. */
    progress: async (jobId: string): Promise<{ place: number; pages: number }> =>
      (await database.selectFrom('indexed').select(['place', 'pages']).where('job', '=', jobId).executeTakeFirst()) ?? {
        place: 0,
        pages: 0,
      },
    /** Adds the next pages of a job, all or none. */
    async add(job: SearchedJob, team: string, pages: readonly IndexedPage[]): Promise<void> {
      const last = pages.at(-1);
      if (!last) return;
      const scope = `${jobWord(job.id)} ${teamWord(team)}`;
      await transaction(database, async (tx) => {
        for (const { row, title, url, text } of pages) {
          const words = [title, url, text].map(forIndex);
          await sql`INSERT OR REPLACE INTO page (rowid, scope, title, url, text) VALUES (${row}, ${scope}, ${sql.join(words)})`.execute(
            tx,
          );
        }
        await tx
          .insertInto('indexed')
          .values({ job: job.id, place: last.place, pages: pages.length })
          .onConflict((conflict) =>
            conflict.column('job').doUpdateSet(({ eb, ref }) => ({
              place: ref('excluded.place'),
              pages: eb('indexed.pages', '+', ref('excluded.pages')),
            })),
          )
          .execute();
      });
    },
    /**
     * Returns how many pages match an FTS5 expression, and the row ids of a range of them, best first.
     * @param among only these row ids
     */
    async search(
      expression: string,
      { team, only, expired, skip, count }: Pick<SearchRequest, 'team' | 'only' | 'expired' | 'skip' | 'count'>,
      among?: readonly number[],
    ): Promise<{ total: number; rows: number[] }> {
      const inScope = only === undefined ? teamWord(team) : jobWord(only);
      const excluded = expired.length > 0 ? ` NOT scope : (${expired.map(jobWord).join(' OR ')})` : '';
      const match = `((scope : ${inScope}) AND {title url text} : (${expression}))${excluded}`;
      const matching = sql`page MATCH ${match} ${
        among ? sql`AND rowid IN (SELECT value FROM json_each(${JSON.stringify(among)}))` : sql``
      }`;
      const counted = await sql<{ total: number }>`
        SELECT count(*) AS total FROM page WHERE ${matching}`.execute(database);
      const total = counted.rows[0]?.total ?? 0;
      const order = total > maxRanked ? sql`rowid` : sql`${rank}, rowid`;
      const { rows } = await sql<{ rowid: number }>`
        SELECT rowid FROM page WHERE ${matching} ORDER BY ${order} LIMIT ${count} OFFSET ${skip}`.execute(database);
      return { total, rows: rows.map(({ rowid }) => rowid) };
    },
    /** Returns the ids of the jobs that are in the index. */
    jobs: async (): Promise<string[]> =>
      (await database.selectFrom('indexed').select('job').execute()).map(({ job }) => job),
    /** Removes at most `count` pages of a job. Returns whether any are left. */
    async remove(jobId: string, count: number): Promise<boolean> {
      const { numAffectedRows } = await sql`
        DELETE FROM page WHERE rowid IN (SELECT rowid FROM page WHERE page MATCH ${`scope : ${jobWord(jobId)}`} LIMIT ${count})`.execute(
        database,
      );
      if (Number(numAffectedRows) === count) return true;
      await database.deleteFrom('indexed').where('job', '=', jobId).execute();
      return false;
    },
    close: (): Promise<void> => database.destroy(),
  };
}

/** Deletes an index. */
export function deleteSearchIndex(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

function open(path: string): Kysely<Schema> {
  try {
    return openSqlite(path, { setUp, migrations });
  } catch {
    // Damaged, or of another version.
    deleteSearchIndex(path);
    return openSqlite(path, { setUp, migrations });
  }
}

function jobWord(id: string): string {
  return `j${id.replaceAll(/[^0-9A-Za-z]/g, '')}`;
}

function teamWord(team: string): string {
  return `t${createHash('sha256').update(team).digest('hex').slice(0, 32)}`;
}
