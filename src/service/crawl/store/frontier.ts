import type { DatabaseSync } from 'node:sqlite';

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
  settle(page: number, state: PageState, at: number, failure?: { code: string; error: string }): void;
  /** Returns the job's page with this identity, if any. */
  known(job: number, identity: string): { id: number; state: PageState } | undefined;
  /** Returns the pages that failed. */
  failures(job: number): FailedPage[];
  /** Returns the URLs that robots.txt disallows. */
  blocked(job: number): string[];
  /** Removes at most `count` pages of a job. Returns how many were removed. */
  remove(job: number, count: number): number;
}

/** Most failures, and most blocked URLs, that are listed. */
const maxListed = 10_000;

export function frontier(database: DatabaseSync): Frontier {
  const add = database.prepare(
    `INSERT INTO crawl_page (job, origin, url, identity, depth, state) VALUES (?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING`,
  );
  const origins = database.prepare('SELECT DISTINCT origin FROM crawl_page WHERE job = ? AND state = 0');
  const waiting = database.prepare(
    `SELECT id, url, identity, depth FROM crawl_page WHERE job = ? AND origin = ? AND state = 0 AND id > ? ORDER BY id LIMIT ?`,
  );
  const settle = database.prepare('UPDATE crawl_page SET state = ?, ended_at = ?, code = ?, error = ? WHERE id = ?');
  const known = database.prepare('SELECT id, state FROM crawl_page WHERE job = ? AND identity = ?');
  const failures = database.prepare(
    `SELECT id, url, code, error, ended_at FROM crawl_page WHERE job = ? AND state = 2 ORDER BY id LIMIT ${maxListed}`,
  );
  const blocked = database.prepare(
    `SELECT url FROM crawl_page WHERE job = ? AND state = 3 ORDER BY id LIMIT ${maxListed}`,
  );
  const remove = database.prepare(
    'DELETE FROM crawl_page WHERE id IN (SELECT id FROM crawl_page WHERE job = ? LIMIT ?)',
  );
  return {
    add: (job, { origin, url, identity, depth }) => add.run(job, origin, url, identity, depth).changes === 1,
    origins: (job) => (origins.all(job) as { origin: string }[]).map(({ origin }) => origin),
    waiting: (job, origin, after, count) => waiting.all(job, origin, after, count) as unknown as WaitingPage[],
    settle: (page, state, at, failure) =>
      void settle.run(state, at, failure?.code ?? null, failure?.error ?? null, page),
    known: (job, identity) => known.get(job, identity) as { id: number; state: PageState } | undefined,
    failures: (job) => failures.all(job) as unknown as FailedPage[],
    blocked: (job) => (blocked.all(job) as { url: string }[]).map(({ url }) => url),
    remove: (job, count) => Number(remove.run(job, count).changes),
  };
}
