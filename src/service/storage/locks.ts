import { sql } from 'kysely';
import { isPostgres } from '../../storage/storage.ts';
import type { Database } from './schema.ts';

/**
 * Makes transactions of one team that check a limit take turns, until this one ends. SQLite's transactions always do.
 */
export async function lockTeam(tx: Database, team: string): Promise<void> {
  if (isPostgres(tx)) await sql`SELECT pg_advisory_xact_lock(1, hashtext(${team}))`.execute(tx);
}
