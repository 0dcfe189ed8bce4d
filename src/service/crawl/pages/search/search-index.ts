import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { transaction } from '../../../storage/storage.ts';
import type { SearchedJob } from './tasks.ts';
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

/** What is searched: one job, or all jobs of a team except some. */
export interface SearchScope {
  team: string;
  only: string | undefined;
  except: string[];
}

/** The full-text index of pages, in a separate file. It can be rebuilt at any time. */
export interface SearchIndex {
  /** Returns the place of the last page of a job that is in the index, and how many are. */
  progress(jobId: string): { place: number; pages: number };
  /** Adds the next pages of a job, all or none. */
  add(job: SearchedJob, team: string, pages: readonly IndexedPage[]): void;
  /** Returns how many pages match an FTS5 expression, and the row ids of a range of them, best first. */
  search(expression: string, scope: SearchScope, skip: number, count: number): { total: number; rows: number[] };
  /** Returns the ids of the jobs that are in the index. */
  jobs(): string[];
  /** Removes at most `count` pages of a job. Returns whether any are left. */
  remove(jobId: string, count: number): boolean;
  close(): void;
}

/** Changes whenever indexes of earlier versions can't be used. */
const version = 1;
/** Sorting more matches by rank takes too long; they are listed in the order in which they were stored. */
const maxRanked = 30_000;
/** Weights of the columns: a word in the title says more than one in the text. */
const weights = { scope: 0, title: 8, url: 2, text: 1 } as const;

/** Opens an index; creates it if there is none of this version. */
export function openSearchIndex(path: string): SearchIndex {
  const database = prepare(path);
  const add = database.prepare('INSERT OR REPLACE INTO page (rowid, scope, title, url, text) VALUES (?, ?, ?, ?, ?)');
  const progress = database.prepare('SELECT place, pages FROM indexed WHERE job = ?');
  const setProgress = database.prepare(
    `INSERT INTO indexed (job, place, pages) VALUES (:job, :place, :pages)
     ON CONFLICT DO UPDATE SET place = excluded.place, pages = indexed.pages + excluded.pages`,
  );
  const count = database.prepare('SELECT count(*) AS total FROM page WHERE page MATCH ?');
  const ranked = database.prepare(
    `SELECT rowid FROM page WHERE page MATCH ? ORDER BY bm25(page, ${Object.values(weights).join(', ')}), rowid LIMIT ? OFFSET ?`,
  );
  const unranked = database.prepare('SELECT rowid FROM page WHERE page MATCH ? ORDER BY rowid LIMIT ? OFFSET ?');
  const jobs = database.prepare('SELECT job FROM indexed');
  const remove = database.prepare(
    'DELETE FROM page WHERE rowid IN (SELECT rowid FROM page WHERE page MATCH ? LIMIT ?)',
  );
  const forget = database.prepare('DELETE FROM indexed WHERE job = ?');
  return {
    progress: (jobId) =>
      (progress.get(jobId) as { place: number; pages: number } | undefined) ?? { place: 0, pages: 0 },
    add(job, team, pages) {
      const last = pages.at(-1);
      if (!last) return;
      const scope = `${jobWord(job.id)} ${teamWord(team)}`;
      transaction(database, () => {
        for (const { row, title, url, text } of pages) {
          add.run(row, scope, forIndex(title), forIndex(url), forIndex(text));
        }
        setProgress.run({ job: job.id, place: last.place, pages: pages.length });
      });
    },
    search(expression, { team, only, except }, skip, limit) {
      const where = only === undefined ? teamWord(team) : jobWord(only);
      const excluded = except.length > 0 ? ` NOT scope : (${except.map(jobWord).join(' OR ')})` : '';
      const match = `((scope : ${where}) AND {title url text} : (${expression}))${excluded}`;
      const { total } = count.get(match) as { total: number };
      const rows = (total > maxRanked ? unranked : ranked).all(match, limit, skip) as { rowid: number }[];
      return { total, rows: rows.map(({ rowid }) => rowid) };
    },
    jobs: () => (jobs.all() as { job: string }[]).map(({ job }) => job),
    remove(jobId, limit) {
      if (Number(remove.run(`scope : ${jobWord(jobId)}`, limit).changes) === limit) return true;
      forget.run(jobId);
      return false;
    },
    close: () => database.close(),
  };
}

/** Deletes an index. */
export function deleteSearchIndex(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

function prepare(path: string): DatabaseSync {
  try {
    const database = open(path);
    const { user_version: found } = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (found === version) return database;
    database.close();
  } catch {
    // Damaged.
  }
  deleteSearchIndex(path);
  const database = open(path);
  database.exec(
    `CREATE VIRTUAL TABLE page USING fts5(${Object.keys(weights).join(', ')}, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
     CREATE TABLE indexed (job TEXT PRIMARY KEY, place INTEGER NOT NULL, pages INTEGER NOT NULL) STRICT;
     PRAGMA user_version = ${version}`,
  );
  return database;
}

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function jobWord(id: string): string {
  return `j${id.replaceAll(/[^0-9A-Za-z]/g, '')}`;
}

function teamWord(team: string): string {
  return `t${createHash('sha256').update(team).digest('hex').slice(0, 32)}`;
}
