import type { DatabaseSync } from 'node:sqlite';

/** Which session a scrape's page came back to life in. A job has one, for good. */
export interface InteractionTable {
  insert(jobId: string, sessionId: string, begunAt: number): void;
  sessionOf(jobId: string): string | undefined;
}

export function interactionTable(database: DatabaseSync): InteractionTable {
  const insert = database.prepare('INSERT INTO interaction (job_id, session_id, begun_at) VALUES (?, ?, ?)');
  const find = database.prepare('SELECT session_id AS sessionId FROM interaction WHERE job_id = ?');
  return {
    insert: (jobId, sessionId, begunAt) => void insert.run(jobId, sessionId, begunAt),
    sessionOf: (jobId) => (find.get(jobId) as { sessionId: string } | undefined)?.sessionId,
  };
}
