import type { DatabaseSync } from 'node:sqlite';

/** The session in which the page of a scrape continues. A job never gets a second one. */
export interface InteractionTable {
  insert(jobId: string, sessionId: string, startedAt: number): void;
  sessionOf(jobId: string): string | undefined;
}

export function interactionTable(database: DatabaseSync): InteractionTable {
  const insert = database.prepare('INSERT INTO interaction (job_id, session_id, begun_at) VALUES (?, ?, ?)');
  const find = database.prepare('SELECT session_id AS sessionId FROM interaction WHERE job_id = ?');
  return {
    insert: (jobId, sessionId, startedAt) => void insert.run(jobId, sessionId, startedAt),
    sessionOf: (jobId) => (find.get(jobId) as { sessionId: string } | undefined)?.sessionId,
  };
}
