import { AsyncLocalStorage } from 'node:async_hooks';
import { type Kysely, PostgresAdapter, type Transaction } from 'kysely';
import { DatabaseUnreachable } from './errors.ts';

/** Callbacks of transactions that have not been committed yet. */
const afterCommits = new WeakMap<object, (() => void)[]>();
/** The transaction that the current code runs in. What it leaves running may outlast it. */
const current = new AsyncLocalStorage<{ database: object; open: boolean }>();

/** Whether the current code runs in a transaction of a database. */
export function isInTransactionOf(database: object | undefined): boolean {
  const transaction = current.getStore();
  return transaction?.open === true && transaction.database === database;
}

const attempts = 5;
/** A transaction whose connection was lost is repeated on another one, unless it took longer than this, in milliseconds. */
const quickMs = 5_000;

/**
 * Runs `work` in a transaction and returns its result: the one way to write several things. If it throws, nothing is
 * stored, except if the connection is lost while it is being committed: see `isOutcomeUnknown`. Within a transaction,
 * `work` joins it. If the database asks to start over, or the connection is lost, `work` runs again, so it may change
 * nothing but the database.
 */
export async function transaction<Schema, Result>(
  database: Kysely<Schema>,
  work: (tx: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  if (database.isTransaction) return await work(database as Transaction<Schema>);
  const begun = performance.now();
  for (let attempt = 1; ; attempt++) {
    const callbacks: (() => void)[] = [];
    const state = { database, open: true };
    let committing = false;
    try {
      const result = await database.transaction().execute(async (tx) => {
        afterCommits.set(tx, callbacks);
        const value = await current.run(state, () => work(tx));
        committing = true;
        return value;
      });
      committed(callbacks);
      return result;
    } catch (error) {
      if (committing && error instanceof DatabaseUnreachable)
        throw new DatabaseUnreachable(error.message, { cause: error, outcomeUnknown: true });
      const isLost = error instanceof DatabaseUnreachable && attempt === 1 && performance.now() - begun < quickMs;
      if (!isLost && (attempt === attempts || !isConflict(error))) throw error;
    } finally {
      state.open = false;
    }
  }
}

/** Calls what waited for a commit. What is stored stays stored, so a callback that throws fails neither the transaction nor the others. */
function committed(callbacks: readonly (() => void)[]): void {
  for (const callback of callbacks) {
    try {
      callback();
    } catch (error) {
      process.nextTick(() => {
        throw error;
      });
    }
  }
}

/** Calls `callback` when the transaction is committed; at once outside a transaction. */
export function afterCommit(database: object, callback: () => void): void {
  const callbacks = afterCommits.get(database);
  if (callbacks) callbacks.push(callback);
  else callback();
}

/** Whether the database is PostgreSQL, for the few queries that differ. */
export function isPostgres<Schema>(database: Kysely<Schema>): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter;
}

/** PostgreSQL's "serialization_failure" and "deadlock_detected". */
function isConflict(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === '40001' || code === '40P01';
}
