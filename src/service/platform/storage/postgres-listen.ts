import pg from 'pg';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { deadlinesOf } from './postgres-pool.ts';

export interface Listener {
  onMessage(payload: string): void;
  /** The connection was lost and is back: messages may have been missed. */
  onGap(): void;
}

const retryMs = 1_000;
/** How often a connection is checked: it may be lost without an error. */
const checkMs = 10_000;

/** Listens to a channel on a connection of its own, which is replaced when it is lost. Throws if it can't be opened. */
export async function listenPostgres(url: string, channel: string, { onMessage, onGap }: Listener, log: Log) {
  const { connectionMs } = deadlinesOf(url);
  let client: pg.Client | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const own = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectionMs,
      keepAlive: true,
      query_timeout: connectionMs,
      application_name: 'web-data-signals',
    });
    own.on('error', () => undefined);
    try {
      await own.connect();
      own.on('notification', ({ payload }) => onMessage(payload ?? ''));
      await own.query(`LISTEN ${own.escapeIdentifier(channel)}`);
    } catch (error) {
      void own.end().catch(() => undefined);
      throw error;
    }
    if (closed) return void own.end().catch(() => undefined);
    client = own;
    own.once('end', () => void replace(own));
    watch(own);
  }

  function watch(own: pg.Client): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      own.query('SELECT 1').then(
        () => watch(own),
        () => void replace(own),
      );
    }, checkMs);
    timer.unref();
  }

  async function replace(lost: pg.Client): Promise<void> {
    if (closed || client !== lost) return;
    client = undefined;
    clearTimeout(timer);
    void lost.end().catch(() => undefined);
    log.warn('the connection for signals from other nodes was lost');
    while (!closed) {
      try {
        await connect();
        return onGap();
      } catch (error) {
        log.warn({ reason: messageOf(error) }, 'the connection for signals from other nodes could not be reopened');
      }
      await new Promise<void>((resolve) => setTimeout(resolve, retryMs).unref());
    }
  }

  await connect();
  return {
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}
