import { transaction } from '../../../../storage/storage.ts';
import { messageOf } from '../../errors.ts';
import { type JobQueue, type QueuedJobs, shares } from '../../job-queue.ts';
import { createSharedQueue, type SharedJob, type SharedQueueParts } from './shared-queue.ts';

const retryMs = 5_000;
const rowsAtATime = 500;
/** Teams with few running jobs start the next one first. */
const perTeam = [1, 2, 4, 8, 16, 32, undefined] as const;

/** Creates a queue that several nodes work on. Each job runs on one of them; teams share all of them. */
export function createSharedJobQueue({ kind, stored, maxRunning }: QueuedJobs, parts: SharedQueueParts): JobQueue {
  const { database, clock, log } = parts;
  const options = { name: kind, running: maxRunning, shares, perGroup: perTeam, spreads: true };
  const queue = createSharedQueue<object>(options, parts);
  let closed = false;

  const jobOf = ({ id, team }: { id: string; team: string }): SharedJob<object> => ({ id, group: team, data: {} });

  /** Adds the jobs that are stored and not in the queue, such as those from before the database was shared. */
  async function addStored(): Promise<void> {
    try {
      const jobs = (await stored()).map(jobOf);
      for (let index = 0; index < jobs.length && !closed; index += rowsAtATime) {
        const some = jobs.slice(index, index + rowsAtATime);
        await transaction(database, (tx) => queue.add(some, tx));
      }
    } catch (error) {
      if (closed) return;
      log.error({ reason: messageOf(error) }, 'the jobs that were running could not be read: trying again');
      clock.after(retryMs, () => void addStored());
    }
  }

  return {
    push: (job, tx) => queue.add([jobOf(job)], tx),
    async pushAgain(job, tx) {
      if (!(await queue.forgetDone(job.id, tx))) return false;
      await queue.add([jobOf(job)], tx);
      return true;
    },
    consume(handler) {
      queue.consume((id, _data, claim) => handler(id, claim));
      void addStored();
    },
    waits: (_id, runner) => runner === null,
    busy: () => queue.held > 0,
    close() {
      closed = true;
      queue.close();
    },
    giveBack: () => queue.giveBack(),
  };
}
