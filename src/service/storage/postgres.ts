import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { transaction } from '../../storage/storage.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { postgresMigrations } from './postgres-migrations.ts';
import type { Database, Schema } from './schema.ts';

/** Connections that the service uses at most, besides the one that holds its lock. */
const maxConnections = 8;
const connectTimeoutMs = 10_000;
const statementTimeoutMs = 60_000;
/** Key of the advisory lock of the one service that uses a database, and of migrations. */
const lockKey = 7_305_411;
const lockRetryMs = 2_000;
/** The connection of a service that was killed may last for a moment. */
const lockPatienceMs = 3_000;
const lockPollMs = 100;

const { builtins, getTypeParser } = pg.types;
/** Numbers of the schema are safe integers, and so are sums of them. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (id: number, format?: 'text' | 'binary') =>
    id === builtins.INT8 || id === builtins.NUMERIC ? Number : getTypeParser(id, format as 'text'),
};

/** Opens a PostgreSQL database. Its statements and connections have deadlines. */
export function connectPostgres(url: string, log: Log, max = maxConnections): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 5_000,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    application_name: 'web-data',
  });
  // A connection that is lost fails the queries on it; without a listener, it would end the service.
  const onLost = (error: Error) => log.warn({ reason: error.message }, 'a connection to the database was lost');
  pool.on('error', onLost);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

/** Migrates the schema. Throws an Error with a message to show. */
export async function migratePostgres(database: Database): Promise<void> {
  await transaction(database, async (tx) => {
    await sql`SELECT pg_advisory_xact_lock(${sql.lit(lockKey)}, 1)`.execute(tx);
    await sql`CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL)`.execute(tx);
    const { rows } = await sql<{ version: number }>`SELECT version FROM schema_version`.execute(tx);
    const version = rows[0]?.version ?? 0;
    if (version > postgresMigrations.length) {
      throw new Error(
        `The database was written by a newer version (schema ${version}; this version supports ${postgresMigrations.length}). Update, or use another --database.`,
      );
    }
    if (version === postgresMigrations.length) return;
    for (const script of postgresMigrations.slice(version)) await sql.raw(script).execute(tx);
    await sql`DELETE FROM schema_version`.execute(tx);
    await sql`INSERT INTO schema_version VALUES (${sql.lit(postgresMigrations.length)})`.execute(tx);
  });
}

/** The lock that keeps a second service from a database. */
export interface DatabaseLock {
  release(): Promise<void>;
}

/**
 * Locks a database for this service, as long as its connection lasts; a lost one is made again. Throws an Error with a
 * message to show if another service has it.
 */
export async function lockPostgres(url: string, log: Log): Promise<DatabaseLock> {
  let client: pg.Client | undefined;
  let released = false;

  async function take(): Promise<void> {
    const own = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs, keepAlive: true });
    own.on('error', () => undefined);
    try {
      await own.connect();
      for (const until = performance.now() + lockPatienceMs; ; await sleep(lockPollMs)) {
        const { rows } = await own.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1, 0) AS locked', [
          lockKey,
        ]);
        if (rows[0]?.locked) break;
        if (performance.now() < until) continue;
        throw new Error(
          'Another service is using this database. Connect to it, stop it, or set --database to another.',
        );
      }
    } catch (error) {
      await own.end().catch(() => undefined);
      throw error;
    }
    client = own;
    own.once('end', () => {
      if (!released) retake();
    });
  }

  function retake(): void {
    log.warn("the database's lock was lost: taking it again");
    setTimeout(() => {
      if (released) return;
      take().catch((error: unknown) => {
        log.warn({ reason: messageOf(error) }, "the database's lock couldn't be taken");
        if (!released) retake();
      });
    }, lockRetryMs).unref();
  }

  await take();
  return {
    async release() {
      released = true;
      await client?.end().catch(() => undefined);
    },
  };
}

/** Returns an error with a message to show that doesn't repeat the URL, which may contain a password. */
export function describePostgresProblem(error: unknown): Error {
  const { code } = error as { code?: string };
  if (code === undefined) return error instanceof Error ? error : new Error(messageOf(error));
  const { message } = error as Error;
  return new Error(
    `The database of --database can't be used: ${message || code}. Check its address, user and password.`,
    {
      cause: error,
    },
  );
}
