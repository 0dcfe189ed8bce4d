import type { Clock } from './clock.ts';
import { messageOf } from './errors.ts';
import type { JobHandler, JobQueue, QueuedJobs } from './job-queue.ts';
import type { Log } from './log.ts';
import type { Database } from './storage/storage.ts';

/** Runs of a job that may end their process in a row: after the first ones it runs beside no other such job, after the last no more. */
const most = { beside: 2, all: 6 };
/** How long a run goes on before it is no longer thought to end its process. */
const provenMs = 10 * 60_000;
/** How long it is known that a run ended its process. */
const keptMs = 7 * 24 * 60 * 60_000;

const givenUp =
  `The service ended ${most.all} times in a row within 10 minutes of running this job, so it isn't run again. ` +
  'What was found stays. If you start it anew, leave out the page that was read last: it may be what ends the service.';

/**
 * Guards a queue against jobs that end the process that runs them: they would end it again after each restart, and node after node.
 * Counts the runs of a job that had no end. A job that may be the cause runs beside no other such job, and after some times no more:
 * its handler is told why, to store its end.
 */
export function guardQueue(
  queue: JobQueue,
  { kind }: Pick<QueuedJobs, 'kind'>,
  { database, clock, log }: { database: Database; clock: Clock; log: Log },
): JobQueue {
  const running = new Set<string>();
  /** Jobs that may end the process run one after the other. */
  let last: Promise<void> = Promise.resolve();

  async function forget(id: string): Promise<void> {
    try {
      await database.deleteFrom('job_begun').where('kind', '=', kind).where('id', '=', id).execute();
    } catch (error) {
      log.debug({ job: id, reason: messageOf(error) }, 'the end of a run could not be noted');
    }
  }

  async function timesOf(id: string): Promise<number> {
    const row = await database
      .selectFrom('job_begun')
      .select('times')
      .where('kind', '=', kind)
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.times ?? 0;
  }

  async function note(id: string, times: number): Promise<void> {
    const begun = { times, at: clock.now() };
    await database
      .insertInto('job_begun')
      .values({ kind, id, ...begun })
      .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet(begun))
      .execute();
  }

  /** Waits until no other job runs that may end the process. Returns a function that lets the next one run. */
  async function turn(): Promise<() => void> {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = before.then(() => promise);
    await before;
    return resolve;
  }

  const guarded =
    (handler: JobHandler): JobHandler =>
    async (id, claim) => {
      const earlier = await timesOf(id);
      if (earlier >= most.all) {
        log.error({ job: id }, 'a job has ended the service each time that it ran, and is given up');
        await handler(id, claim, givenUp);
        return await forget(id);
      }
      const release = earlier >= most.beside ? await turn() : () => undefined;
      const cancel = clock.after(provenMs, () => {
        release();
        if (running.has(id)) void forget(id);
      });
      try {
        await note(id, earlier + 1);
        running.add(id);
        await handler(id, claim);
      } finally {
        cancel();
        release();
        running.delete(id);
        await forget(id);
      }
    };

  async function forgetOld(): Promise<void> {
    await database
      .deleteFrom('job_begun')
      .where('kind', '=', kind)
      .where('at', '<', clock.now() - keptMs)
      .execute()
      .catch((error: unknown) => log.debug({ reason: messageOf(error) }, 'old runs could not be forgotten'));
  }

  return {
    ...queue,
    consume(handler) {
      void forgetOld();
      queue.consume(guarded(handler));
    },
    async giveBack() {
      await Promise.all([...running].map(forget));
      await queue.giveBack();
    },
  };
}
