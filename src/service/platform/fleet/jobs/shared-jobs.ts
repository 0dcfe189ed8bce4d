import { type JobQueue, type QueuedJob, type QueuedJobs, shares } from '../../job-queue.ts';
import type { Base } from '../../platform.ts';
import type { Fleet } from '../fleet.ts';
import { createSignals, signalChannel } from '../signals.ts';
import { openBoss } from './boss.ts';
import { createSharedQueue, type SharedJob, type SharedQueueOptions, type SharedQueueParts } from './shared-queue.ts';

/** What a node needs to share jobs with the other nodes. */
export type SharedJobs = Awaited<ReturnType<typeof openSharedJobs>>;

/** How often a node checks whether a newer version has migrated the database. */
const versionMs = 5_000;

/** Opens the queues of a database and its signals. Throws an Error with a message to show. */
export async function openSharedJobs(
  url: string,
  parts: Pick<Base, 'database' | 'clock' | 'log'> & {
    fleet: Fleet;
    /** Called when a newer version has migrated the database: this one must stop. */
    onOutdated(reason: string): void;
  },
) {
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
      /** The ID of this node. */
      node: fleet.id,
      fleet,
      signals,
      createJobQueue: (jobs: QueuedJobs): JobQueue => createSharedJobQueue(jobs, queueParts),
      createQueue: <Data extends object>(options: SharedQueueOptions) => createSharedQueue<Data>(options, queueParts),
      async close(): Promise<void> {
        closed = true;
        await Promise.all([listening.close(), boss.close()]);
      },
    };
  } catch (error) {
    throw describePostgresProblem(error);
  }
}

/** Teams with few running jobs start the next one first. */
const perTeam = [1, 2, 4, 8, 16, 32, undefined] as const;

/** Creates a queue that several nodes work on. Each job runs on one of them; teams share all of them. */
function createSharedJobQueue({ kind, stored, maxRunning }: QueuedJobs, parts: SharedQueueParts): JobQueue {
  const options = { name: kind, running: maxRunning, shares, perGroup: perTeam, spreads: true };
  const queue = createSharedQueue<object>(options, parts);
  const jobOf = ({ id, team }: QueuedJob): SharedJob<object> => ({ id, group: team, data: {} });

  return {
    push: (job, tx) => queue.add([jobOf(job)], tx),
    async pushAgain(job, tx) {
      if (!(await queue.forgetDone(job.id, tx))) return false;
      await queue.add([jobOf(job)], tx);
      return true;
    },
    consume: (handler) =>
      queue.consume(
        (id, _data, claim) => handler(id, claim),
        async () => (await stored()).map(jobOf),
      ),
    waits: (_id, runner) => runner === null,
    busy: () => queue.held > 0,
    close: () => queue.close(),
    giveBack: () => queue.giveBack(),
  };
}
