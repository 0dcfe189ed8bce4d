import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { transaction } from '../../../storage/storage.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { postgresMigrations } from './migrations.ts';
import { deadlinesOf, openPool } from './postgres-pool.ts';
import type { Database, Schema } from './schema.ts';

export { listenPostgres } from './postgres-listen.ts';

/** Key of the advisory lock of migrations. */
const lockKey = 7_305_411;

/** Connections that the service uses at most for its statements. */
const maxConnections = 8;

/** Opens a PostgreSQL database. Its statements have a deadline, and so does the wait for a connection. */
export function connectPostgres(url: string, log: Log, max = maxConnections) {
  const pool = openPool(url, max, deadlinesOf(url), log);
  return Object.assign(new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) }), { poolUse: pool.use });
}

/** Migrates the schema. Throws an Error with a message to show. */
export async function migratePostgres(url: string, log: Log): Promise<void> {
  // The migration of a large database may take a long time.
  const pool = openPool(url, 1, { ...deadlinesOf(url), statementMs: 0 }, log);
  const database = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  try {
    await transaction(database, migrate);
  } finally {
    await database.destroy();
  }
}

async function migrate(tx: Database): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${sql.lit(lockKey)}, 1)`.execute(tx);
  await sql`CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL)`.execute(tx);
  const version = await storedVersion(tx);
  if (version > postgresMigrations.length) {
    throw new Error(
      `The database was written by a newer version (schema ${version}; this version supports ${postgresMigrations.length}). Update, or use another --database.`,
    );
  }
  if (version === postgresMigrations.length) return;
  for (const script of postgresMigrations.slice(version)) await sql.raw(script).execute(tx);
  await sql`DELETE FROM schema_version`.execute(tx);
  await sql`INSERT INTO schema_version VALUES (${sql.lit(postgresMigrations.length)})`.execute(tx);
}

/** Returns the version of the schema; 0 for a new database. */
export async function schemaVersion(database: Database): Promise<number> {
  const { rows: found } = await sql<{ name: string | null }>`SELECT to_regclass('schema_version') AS name`.execute(
    database,
  );
  return found[0]?.name == null ? 0 : await storedVersion(database);
}

/** Whether a newer version has migrated the schema that this one works with. */
export async function isSchemaNewer(database: Database): Promise<boolean> {
  return (await storedVersion(database)) > postgresMigrations.length;
}

async function storedVersion(database: Database): Promise<number> {
  const { rows } = await sql<{ version: number }>`SELECT version FROM schema_version`.execute(database);
  return rows[0]?.version ?? 0;
}

/** Returns an error with a message to show that doesn't repeat the URL, which may contain a password. */
export function describePostgresProblem(error: unknown): Error {
  const { code } = ((error as { cause?: unknown }).cause ?? error) as { code?: string };
  if (code === undefined) return error instanceof Error ? error : new Error(messageOf(error));
  const { message } = error as Error;
  return new Error(
    `The database set with --database can't be used: ${message || code}. Check that it is running, and check its address, user and password.`,
    { cause: error },
  );
}

const retryMs = 500;
/** How long a start waits for a server that is starting. For one that isn't running, it waits as long as for a connection. */
const startingMs = 60_000;

/** Waits until a server that is starting accepts connections. Rejects with why it can't be reached. */
export async function reachPostgres(url: string, log: Log): Promise<void> {
  const { connectionMs } = deadlinesOf(url);
  let isLogged = false;
  for (const begun = performance.now(); ; await sleep(retryMs)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectionMs });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return;
    } catch (error) {
      if (performance.now() - begun > patienceFor(error, connectionMs)) throw error;
      if (!isLogged) log.warn({ reason: messageOf(error) }, 'waiting for the database');
      isLogged = true;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** Returns how long an attempt that failed with this error is repeated. */
function patienceFor(error: unknown, connectionMs: number): number {
  const { code } = error as { code?: string };
  if (code === '57P03') return startingMs;
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' ? connectionMs : -1;
}
