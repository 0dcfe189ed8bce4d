import type { Database, Unreadable } from '../../../platform/storage/storage.ts';
import { createCommits } from './commits.ts';
import { documents } from './documents.ts';
import { earlierPages } from './earlier-pages.ts';
import { frontier } from './frontier.ts';
import { jobTable } from './job-table.ts';
import { leftOutPages } from './left-out.ts';

/** Where jobs and what they find are stored. */
export type JobStore = ReturnType<typeof openStore>;

export function openStore(database: Database, unreadable: Unreadable) {
  return {
    jobs: jobTable(database, unreadable),
    frontier: frontier(database),
    leftOut: leftOutPages(database),
    documents: documents(database, unreadable),
    earlier: earlierPages(database),
    commits: createCommits(database),
  };
}
