import type { Database } from '../../platform/storage/storage.ts';

/** The session in which the page of a scrape continues. A job never gets a second one, by the table's primary key. */
export type InteractionTable = ReturnType<typeof interactionTable>;

export function interactionTable(database: Database) {
  return {
    /** Throws SQLite's or PostgreSQL's error for a duplicate if the job has a session. */
    async insert(jobId: string, sessionId: string, startedAt: number, db: Database = database): Promise<void> {
      await db
        .insertInto('interaction')
        .values({ job_id: jobId, session_id: sessionId, begun_at: startedAt })
        .execute();
    },
    async sessionOf(jobId: string): Promise<string | undefined> {
      const row = await database
        .selectFrom('interaction')
        .select('session_id')
        .where('job_id', '=', jobId)
        .executeTakeFirst();
      return row?.session_id;
    },
  };
}
