import type { Clock } from '../../clock.ts';
import type { CreateJobQueue } from '../../job-queue.ts';
import type { Log } from '../../log.ts';
import type { Database } from '../../storage/storage.ts';
import type { Fleet } from '../fleet.ts';
import { createSignals, type Signals, signalChannel } from '../signals.ts';
import { openBoss } from './boss.ts';
import { createSharedJobQueue } from './shared-job-queue.ts';
import { createSharedQueue, type SharedQueue, type SharedQueueOptions } from './shared-queue.ts';

/** What a node needs to share jobs with the other nodes. */
export interface SharedJobs {
  /** The ID of this node. */
  readonly node: string;
  readonly fleet: Fleet;
  readonly signals: Signals;
  createJobQueue: CreateJobQueue;
  createQueue<Data extends object>(options: SharedQueueOptions): SharedQueue<Data>;
  close(): Promise<void>;
}

/** How often a node checks whether a newer version has migrated the database. */
const versionMs = 5_000;

/** Opens the queues of a database and its signals. Throws an Error with a message to show. */
export async function openSharedJobs(
  url: string,
  parts: {
    database: Database;
    fleet: Fleet;
    clock: Clock;
    log: Log;
    /** Called when a newer version has migrated the database: this one must stop. */
    onOutdated(reason: string): void;
  },
): Promise<SharedJobs> {
  const { database, fleet, clock, log } = parts;
  const { describePostgresProblem, isSchemaNewer, listenPostgres } = await import('../../storage/postgres.ts');
  try {
    const boss = await openBoss(url, log);
    const signals = createSignals(database, parts);
    const listening = await listenPostgres(
      url,
      signalChannel,
      { onMessage: signals.received, onGap: signals.missed },
      log,
    ).catch(async (error: unknown) => {
      await boss.close();
      throw error;
    });
    let closed = false;
    const checkVersion = async () => {
      if (closed) return;
      try {
        if ((await isSchemaNewer(database)) || (await boss.isNewer()))
          return parts.onOutdated('a newer version of the service has migrated the database: update this one too');
      } catch {
        // The database can't be reached, which others report.
      }
      clock.after(versionMs, () => void checkVersion());
    };
    clock.after(versionMs, () => void checkVersion());
    const queueParts = { ...parts, boss, signals };
    return {
      node: fleet.id,
      fleet,
      signals,
      createJobQueue: (jobs) => createSharedJobQueue(jobs, queueParts),
      createQueue: <Data extends object>(options: SharedQueueOptions) => createSharedQueue<Data>(options, queueParts),
      async close() {
        closed = true;
        await Promise.all([listening.close(), boss.close()]);
      },
    };
  } catch (error) {
    throw describePostgresProblem(error);
  }
}
