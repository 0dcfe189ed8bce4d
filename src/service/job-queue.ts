import type { Clock } from './clock.ts';
import { messageOf } from './errors.ts';
import type { Log } from './log.ts';
import { createHoldings, createTurns, mayHave } from './turns.ts';

/** A job as the queue knows it. */
export interface QueuedJob {
  id: string;
  team: string;
}

/** Hands out jobs to run. A job is in the queue from when it is stored as running until it ends. */
export interface JobQueue {
  /** Adds a job that was just stored. */
  push(job: QueuedJob): void;
  /**
   * Runs `handler` for every job, a limited number at a time; a job is done when `handler` resolves. Teams take turns,
   * each with its oldest job first, and one that has no running job starts one at once, even if others use the limit.
   * Jobs that were running when the service last stopped are handed out again.
   */
  consume(handler: (jobId: string) => Promise<void>): void;
  /** Whether a job has not been handed out yet. */
  waits(jobId: string): boolean;
  /** Whether jobs are running or waiting to run, or it isn't known yet. */
  busy(): boolean;
  /** Stops handing out jobs. */
  close(): void;
}

const retryMs = 5_000;
/** How many jobs may run in addition to the limit, one for each team that has none. */
const shares = 10;

/** Creates a queue for a single service process; the table of the jobs is its storage. */
export function createJobQueue(
  stored: () => Promise<QueuedJob[]>,
  maxRunning: number,
  { clock, log }: { clock: Clock; log: Log },
): JobQueue {
  const waiting = createTurns<QueuedJob>();
  const holdings = createHoldings();
  const handedOut = new Set<string>();
  /** Jobs that could not be run, until they wait again. */
  const retrying = new Set<string>();
  let closed = false;
  let handle: ((jobId: string) => Promise<void>) | undefined;

  const mayRun = (team: string) => mayHave(holdings, team, maxRunning, shares);

  function next(): void {
    while (handle) {
      const job = waiting.take(mayRun);
      if (!job) return;
      handedOut.add(job.id);
      holdings.change(job.team, 1);
      void runOne(job, handle);
    }
  }

  async function runOne(job: QueuedJob, handler: (jobId: string) => Promise<void>): Promise<void> {
    try {
      await handler(job.id);
    } catch (error) {
      if (handle) {
        log.error({ job: job.id, reason: messageOf(error) }, 'a job could not be run: trying again');
        retrying.add(job.id);
        clock.after(retryMs, () => {
          retrying.delete(job.id);
          waiting.add(job.team, job);
          next();
        });
      }
    } finally {
      handedOut.delete(job.id);
      holdings.change(job.team, -1);
      next();
    }
  }

  async function load(handler: (jobId: string) => Promise<void>): Promise<void> {
    try {
      const jobs = await stored();
      const pushed = waiting.clear().filter(({ id }) => !jobs.some((job) => job.id === id));
      for (const job of [...jobs, ...pushed]) waiting.add(job.team, job);
      if (!closed) handle = handler;
      next();
    } catch (error) {
      if (closed) return;
      log.error({ reason: messageOf(error) }, 'the jobs that were running could not be read: trying again');
      clock.after(retryMs, () => void load(handler));
    }
  }

  return {
    push(job) {
      waiting.add(job.team, job);
      next();
    },
    consume: (handler) => void load(handler),
    waits: (jobId) => !handedOut.has(jobId),
    busy: () => handle === undefined || handedOut.size + retrying.size + waiting.size > 0,
    close() {
      closed = true;
      handle = undefined;
    },
  };
}
