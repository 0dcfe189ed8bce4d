import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { deadlinesOf } from './postgres-pool.ts';

/** Key of the advisory lock of the one service that uses a database, and of migrations. */
export const lockKey = 7_305_411;
const retryMs = 2_000;
/** The connection of a service that was killed may last for a moment. */
const lockPatienceMs = 3_000;
const pollMs = 100;
/** How long a start waits for a server that is starting. For one that isn't running, it waits as long as for a connection. */
const startingMs = 60_000;

/** The lock that keeps a second service from a database. */
export interface DatabaseLock {
  release(): Promise<void>;
}

class LockTaken extends Error {
  constructor() {
    super('Another service is using this database. Connect to it, stop it, or set --database to another one.');
  }
}

/**
 * Locks a database for this service, as long as its connection lasts; a lost connection is replaced. Waits for a server
 * that is starting. Throws an Error with a message to show if another service has the lock.
 * @param onTaken called if another service has taken the lock while the connection was lost
 */
export async function lockPostgres(url: string, log: Log, onTaken: () => void): Promise<DatabaseLock> {
  let client: pg.Client | undefined;
  let released = false;
  const { connectionMs } = deadlinesOf(url);

  async function take(): Promise<void> {
    const own = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectionMs, keepAlive: true });
    own.on('error', () => undefined);
    try {
      await own.connect();
      for (const until = performance.now() + lockPatienceMs; ; await sleep(pollMs)) {
        const { rows } = await own.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1, 0) AS locked', [
          lockKey,
        ]);
        if (rows[0]?.locked) break;
        if (performance.now() > until) throw new LockTaken();
      }
    } catch (error) {
      await own.end().catch(() => undefined);
      throw error;
    }
    if (released) return await own.end();
    client = own;
    own.once('end', () => {
      if (released) return;
      log.warn('the lock on the database was lost: acquiring it again');
      void retake();
    });
  }

  async function retake(): Promise<void> {
    while (!released) {
      try {
        return await take();
      } catch (error) {
        if (released) return;
        log.warn({ reason: messageOf(error) }, "the lock on the database couldn't be acquired");
        if (error instanceof LockTaken) return onTaken();
      }
      await sleep(retryMs, undefined, { ref: false });
    }
  }

  async function takeFirst(): Promise<void> {
    let isLogged = false;
    for (const begun = performance.now(); ; await sleep(retryMs / 4)) {
      try {
        return await take();
      } catch (error) {
        if (performance.now() - begun > patienceFor(error)) throw error;
        if (!isLogged) log.warn({ reason: messageOf(error) }, 'waiting for the database');
        isLogged = true;
      }
    }
  }

  /** Returns how long an attempt that failed with this error is repeated. */
  function patienceFor(error: unknown): number {
    const { code } = error as { code?: string };
    if (code === '57P03') return startingMs;
    return code === 'ECONNREFUSED' || code === 'ECONNRESET' ? connectionMs : -1;
  }

  await takeFirst();
  return {
    async release() {
      released = true;
      await client?.end().catch(() => undefined);
    },
  };
}
