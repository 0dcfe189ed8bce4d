import type { DatabaseSync } from 'node:sqlite';
import { orderKey } from '../../../contract/page-order.ts';

/** States of a page in the frontier, as stored. */
export const pageStates = { waiting: 0, done: 1, failed: 2, blocked: 3, repeated: 4, passedOver: 5 } as const;
export type PageState = (typeof pageStates)[keyof typeof pageStates];

export interface NewPage {
  url: string;
  origin: string;
  /** Equal for URLs that the job treats as the same page. */
  identity: string;
  /** Number of links from the start page. */
  depth: number;
}

export interface WaitingPage {
  id: number;
  url: string;
  identity: string;
  depth: number;
}

/** Why a page has no document. Blocked pages have no code. */
export interface PageFailure {
  code?: string;
  error: string;
}

/** What the list of pages shows of a page that was settled. */
export interface PageRecord {
  /** Position in the job's list of pages, from 1. */
  place: number;
  /** URL after redirects. */
  url: string;
  /** Number of its document. */
  seq?: number;
  title?: string | undefined;
  statusCode?: number | undefined;
}

export interface FailedPage {
  id: number;
  url: string;
  code: string | null;
  error: string | null;
  ended_at: number;
}

/** The pages that jobs have found: each once per job, waiting or settled. */
export interface Frontier {
  /** Adds a page unless the job has it already. Returns whether it was added. */
  add(job: number, page: NewPage): boolean;
  /** Returns the origins with waiting pages. */
  origins(job: number): string[];
  /** Returns waiting pages of an origin with an id above `after`, in the order they were found. */
  waiting(job: number, origin: string, after: number, count: number): WaitingPage[];
  /** Settles a page without listing it: it is the same as another one, or was fetched only for its links. */
  settle(page: number, state: PageState, at: number): void;
  /** Settles a page and adds it to the job's list of pages. */
  record(page: number, state: PageState, at: number, record: PageRecord, failure?: PageFailure): void;
  /** Returns the job's page with this identity, if any. */
  known(job: number, identity: string): { id: number; state: PageState } | undefined;
  /** Returns the failed page that was found first. */
  firstFailure(job: number): FailedPage | undefined;
  /** Returns the pages that failed. */
  failures(job: number): FailedPage[];
  /** Returns the URLs that robots.txt disallows. */
  blocked(job: number): string[];
  /** Removes at most `count` pages of a job. Returns how many were removed. */
  remove(job: number, count: number): number;
}

const longestTitle = 500;
/** Most failures, and most blocked URLs, that are listed. */
const maxListed = 10_000;

/** Splits a URL after the last slash of its path. */
export function splitUrl(url: string): [folder: string, name: string] {
  const path = /^[^?#]*/.exec(url)?.[0] ?? '';
  const end = path.lastIndexOf('/') + 1;
  return [url.slice(0, end), url.slice(end)];
}

export function frontier(database: DatabaseSync): Frontier {
  const add = database.prepare(
    `INSERT INTO crawl_page (job, origin, url, identity, depth, state) VALUES (?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING`,
  );
  const origins = database.prepare('SELECT DISTINCT origin FROM crawl_page WHERE job = ? AND state = 0');
  const waiting = database.prepare(
    `SELECT id, url, identity, depth FROM crawl_page WHERE job = ? AND origin = ? AND state = 0 AND id > ? ORDER BY id LIMIT ?`,
  );
  const settle = database.prepare('UPDATE crawl_page SET state = ?, ended_at = ? WHERE id = ?');
  const record = database.prepare(
    `UPDATE crawl_page SET state = ?, ended_at = ?, place = ?, seq = ?, folder = ?, name = ?, title = ?, status_code = ?, code = ?, error = ?
     WHERE id = ?`,
  );
  const known = database.prepare('SELECT id, state FROM crawl_page WHERE job = ? AND identity = ?');
  const failures = database.prepare(
    `SELECT id, url, code, error, ended_at FROM crawl_page WHERE job = ? AND state = 2 ORDER BY place LIMIT ${maxListed}`,
  );
  const firstFailure = database.prepare(
    'SELECT id, url, code, error, ended_at FROM crawl_page WHERE job = ? AND state = 2 ORDER BY id LIMIT 1',
  );
  const blocked = database.prepare(
    `SELECT url FROM crawl_page WHERE job = ? AND state = 3 ORDER BY place LIMIT ${maxListed}`,
  );
  const remove = database.prepare(
    'DELETE FROM crawl_page WHERE id IN (SELECT id FROM crawl_page WHERE job = ? LIMIT ?)',
  );
  return {
    add: (job, { origin, url, identity, depth }) => add.run(job, origin, url, identity, depth).changes === 1,
    origins: (job) => (origins.all(job) as { origin: string }[]).map(({ origin }) => origin),
    waiting: (job, origin, after, count) => waiting.all(job, origin, after, count) as unknown as WaitingPage[],
    settle: (page, state, at) => void settle.run(state, at, page),
    record(page, state, at, { place, url, seq, title, statusCode }, failure) {
      const [folder = '', name = ''] = splitUrl(url).map(orderKey);
      const shownTitle = title?.slice(0, longestTitle) ?? null;
      const { code = null, error = null } = failure ?? {};
      record.run(state, at, place, seq ?? null, folder, name, shownTitle, statusCode ?? null, code, error, page);
    },
    known: (job, identity) => known.get(job, identity) as { id: number; state: PageState } | undefined,
    firstFailure: (job) => firstFailure.get(job) as FailedPage | undefined,
    failures: (job) => failures.all(job) as unknown as FailedPage[],
    blocked: (job) => (blocked.all(job) as { url: string }[]).map(({ url }) => url),
    remove: (job, count) => Number(remove.run(job, count).changes),
  };
}
