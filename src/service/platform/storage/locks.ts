import { sql } from 'kysely';
import { isPostgres } from '../../../storage/storage.ts';
import type { Database } from './schema.ts';

/**
 * Makes transactions of one team that check a limit take turns, until this one ends. SQLite's transactions always do.
 */
export async function lockTeam(tx: Database, team: string): Promise<void> {
  if (isPostgres(tx)) await sql`SELECT pg_advisory_xact_lock(1, hashtext(${team}))`.execute(tx);
}

/** Makes `lockAlone` with one of these names fail until the transaction ends. For PostgreSQL. */
export async function lockTogether(tx: Database, names: readonly string[]): Promise<void> {
  const locked = sql`SELECT pg_advisory_xact_lock_shared(2, hashtext(name)) FROM unnest(${[...names]}::text[]) AS name`;
  await locked.execute(tx);
}

/** Makes `lockTogether` with this name wait until the transaction ends. Returns false if a transaction has it. For PostgreSQL. */
export async function lockAlone(tx: Database, name: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    SELECT pg_try_advisory_xact_lock(2, hashtext(${name})) AS locked`.execute(tx);
  return rows[0]?.locked === true;
}
