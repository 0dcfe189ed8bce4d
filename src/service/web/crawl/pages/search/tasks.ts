import type { DatabaseLocation } from '../../../../platform/storage/storage.ts';
import type { Matches } from './matches.ts';

/** A job whose pages are searched. */
export interface SearchedJob {
  num: number;
  id: string;
  /** Documents that it has. */
  documents: number;
}

/** What the search thread is started with. */
export interface SearchThreadData {
  /** The service's database, which is only read. */
  database: DatabaseLocation;
  /** Path of the search index. */
  index: string;
}

/** A task for the search thread, which does one at a time. */
export type SearchTask =
  | { kind: 'search'; request: SearchRequest }
  /** Indexes jobs in the background. */
  | { kind: 'index'; team: string; jobs: SearchedJob[] }
  /** Removes jobs that no longer exist from the index. */
  | { kind: 'sweep' };

export interface SearchRequest {
  query: string;
  team: string;
  /** The jobs to search: all of the team, or one. */
  jobs: SearchedJob[];
  /** Only this job, by its id. */
  only: string | undefined;
  /** Only pages that differ from the crawl that their job repeats. */
  onlyChanges: boolean;
  /** Ids of jobs that have expired but still exist. */
  expired: string[];
  skip: number;
  count: number;
}

export interface SearchAnswer {
  /** Best first; `row` is the page's row id. */
  found: ({ row: number } & Matches)[];
  /** Number of pages that match. */
  total: number;
  /** Number of indexed pages, and of all pages. */
  indexed: { pages: number; total: number };
}

/** A message from the search thread: how a task ended, or that nothing is left to do. */
export type SearchMessage =
  | { kind: 'answer'; answer: SearchAnswer }
  | { kind: 'failure'; message: string }
  | { kind: 'done' }
  | { kind: 'idle' };
