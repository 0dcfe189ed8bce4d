import { type JobQueue, type QueuedJob, type QueuedJobs, shares } from '../../job-queue.ts';
import { createSharedQueue, type SharedJob, type SharedQueueParts } from './shared-queue.ts';

/** Teams with few running jobs start the next one first. */
const perTeam = [1, 2, 4, 8, 16, 32, undefined] as const;

/** Creates a queue that several nodes work on. Each job runs on one of them; teams share all of them. */
export function createSharedJobQueue({ kind, stored, maxRunning }: QueuedJobs, parts: SharedQueueParts): JobQueue {
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
