import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { deadlinesOf } from './postgres-pool.ts';

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
