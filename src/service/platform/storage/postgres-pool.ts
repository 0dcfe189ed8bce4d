import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { DatabaseBusy, DatabaseUnreachable } from '../../../storage/storage.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';

/** The connections of a pool, and the queries that wait for one. */
export interface PoolUse {
  used: number;
  idle: number;
  waiting: number;
}

/** How long a query may wait for a connection, and how long the server may take for a statement; 0 for no deadline. */
export interface Deadlines {
  connectionMs: number;
  statementMs: number;
}

const defaults: Deadlines = { connectionMs: 10_000, statementMs: 30_000 };

/** Returns the deadlines in a database's URL, `connect_timeout` (seconds) and `statement_timeout` (milliseconds), or the defaults. */
export function deadlinesOf(url: string): Deadlines {
  const { searchParams } = new URL(url);
  const connect = Number(searchParams.get('connect_timeout'));
  const statement = Number(searchParams.get('statement_timeout'));
  return {
    connectionMs: connect > 0 ? connect * 1000 : defaults.connectionMs,
    statementMs: statement > 0 ? statement : defaults.statementMs,
  };
}

/** How long the wait for a statement continues after its deadline if the server doesn't answer at all. */
const graceMs = 5_000;
/** Maximum number of queries and transactions that wait for a connection. */
const maxWaiting = 1_000;
/** How often a server that has no free connection is asked again. */
const retryMs = 200;

const { builtins, getTypeParser } = pg.types;
/** The schema's numbers are safe integers, and so are their sums. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (id: number, format?: 'text' | 'binary') =>
    id === builtins.INT8 || id === builtins.NUMERIC ? Number : getTypeParser(id, format as 'text'),
};

/**
 * Opens a pool of connections. A query that waits too long for one, or behind too many others, fails with DatabaseBusy. If
 * a connection ends, its queries fail with DatabaseUnreachable, and the connection is replaced.
 */
export function openPool(
  url: string,
  max: number,
  { connectionMs, statementMs }: Deadlines,
  log: Log,
): PostgresPool & { use(): PoolUse } {
  const pool = new pg.Pool({
    // The URL's parameters take precedence.
    connectionString: withParameter(url, 'statement_timeout', String(statementMs)),
    max,
    types,
    connectionTimeoutMillis: connectionMs,
    query_timeout: statementMs > 0 ? statementMs + graceMs : 0,
    idle_in_transaction_session_timeout: statementMs,
    keepAlive: true,
    application_name: 'web-data',
  });
  // A connection that is lost fails the queries on it; without a listener, it would end the service.
  const onLost = (error: Error) => log.warn({ reason: error.message }, 'a connection to the database was lost');
  pool.on('error', onLost);
  pool.on('connect', (client) => client.on('error', () => undefined));

  async function connect(): Promise<pg.PoolClient> {
    if (pool.waitingCount >= maxWaiting)
      throw new DatabaseBusy(`${maxWaiting} queries are already waiting for a connection to the database.`);
    for (const until = performance.now() + connectionMs; ; await sleep(retryMs)) {
      try {
        return await pool.connect();
      } catch (error) {
        if (isPoolTimeout(error))
          throw new DatabaseBusy(`No connection to the database became free within ${connectionMs / 1000} s.`);
        if (!isFromServer(error)) throw unreachable(error);
        if (!isOutOfConnections(error) || performance.now() > until) throw error;
      }
    }
  }

  return {
    async connect() {
      return checked(await connect());
    },
    end: () => pool.end(),
    options: {},
    use: () => ({ used: pool.totalCount - pool.idleCount, idle: pool.idleCount, waiting: pool.waitingCount }),
  } as PostgresPool & { use(): PoolUse };
}

function withParameter(url: string, name: string, value: string): string {
  const changed = new URL(url);
  changed.searchParams.set(name, value);
  return changed.href;
}

/** Makes a connection fail for good once it is lost, or the server no longer answers on it. */
function checked(client: pg.PoolClient): PostgresPoolClient {
  let lost: DatabaseUnreachable | undefined;
  return {
    async query(text: string, values: readonly unknown[]) {
      if (lost) throw lost;
      try {
        return await client.query(text, values as unknown[]);
      } catch (error) {
        if (isFromServer(error) && !isLast(error)) throw error;
        lost = unreachable(error);
        throw lost;
      }
    },
    release: (discard?: boolean) => client.release(discard === true || lost !== undefined),
  } as unknown as PostgresPoolClient;
}

function unreachable(cause: unknown): DatabaseUnreachable {
  return new DatabaseUnreachable(messageOf(cause) || String((cause as { code?: unknown }).code), { cause });
}

function isFromServer(error: unknown): boolean {
  return typeof (error as { severity?: unknown }).severity === 'string';
}

/** Whether the server closes the connection after this error. */
function isLast(error: unknown): boolean {
  const { severity } = error as { severity?: string };
  return severity === 'FATAL' || severity === 'PANIC';
}

function isOutOfConnections(error: unknown): boolean {
  return (error as { code?: string }).code === '53300';
}

/** The pool has no error class or code for this timeout. */
function isPoolTimeout(error: unknown): boolean {
  return messageOf(error).startsWith('timeout exceeded when trying to connect');
}
