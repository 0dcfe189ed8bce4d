import { afterCommit } from '../../storage/storage.ts';
import type { Clock } from './clock.ts';
import { messageOf } from './errors.ts';
import { guardQueue } from './job-guard.ts';
import type { Log } from './log.ts';
import type { Database } from './storage/storage.ts';
import { createHoldings, createTurns, mayHave } from './turns.ts';

/** A job as the queue knows it. */
export interface QueuedJob {
  id: string;
  team: string;
}

/** The right of a node to run a job. */
export interface Claim {
  /** Aborts when another node has the job: stop, and leave everything as it is stored. */
  readonly signal: AbortSignal;
  /** Returns whether this node still has the job; if so, it stays so until the transaction ends. */
  holds(tx: Database): Promise<boolean>;
}

/** Runs a job. @param givenUp why it isn't run any more: only its end, as failed, is to be stored */
export type JobHandler = (jobId: string, claim: Claim, givenUp?: string) => Promise<void>;

/** Hands out jobs to run. A job is in the queue from when it is stored as running until it ends. */
export interface JobQueue {
  /** Adds a job in the transaction that stores it. Adding it again changes nothing. */
  push(job: QueuedJob, tx: Database): Promise<void>;
  /** Adds a job that was done. Returns false if the queue still has it. */
  pushAgain(job: QueuedJob, tx: Database): Promise<boolean>;
  /**
   * Runs `handler` for every job, a limited number at a time; a job is done when `handler` resolves. Teams take turns,
   * each with its oldest job first, and one that has no running job starts one at once, even if others use the limit.
   * Jobs whose service has stopped are handed out again.
   */
  consume(handler: JobHandler): void;
  /** Whether a job has not been handed out yet. @param runner the node that runs it */
  waits(jobId: string, runner: string | null): boolean;
  /** Whether this service has jobs that run or wait to run, or doesn't know yet. */
  busy(): boolean;
  /** Stops handing out jobs. */
  close(): void;
  /** Gives back the jobs that were handed out and have not ended, so that another node can go on at once. */
  giveBack(): Promise<void>;
}

/** A kind of jobs, as a queue needs it. */
export interface QueuedJobs {
  kind: 'crawl' | 'agent' | 'monitor';
  /** Returns the jobs that run or wait to run, oldest first. */
  stored(): Promise<QueuedJob[]>;
  /** How many run at the same time on one node. */
  maxRunning: number;
}

const retryMs = 5_000;
/** How many jobs may run in addition to the limit, one for each team that has none. */
export const shares = 10;

const ownClaim: Claim = { signal: new AbortController().signal, holds: async () => true };

/** Creates a queue for a single service process; the table of the jobs is its storage. */
export function createJobQueue(
  { stored, maxRunning }: Pick<QueuedJobs, 'stored' | 'maxRunning'>,
  { clock, log }: { clock: Clock; log: Log },
): JobQueue {
  const waiting = createTurns<QueuedJob>();
  const holdings = createHoldings();
  const handedOut = new Set<string>();
  /** Jobs that wait, were handed out, or could not be run and will wait again. */
  const known = new Set<string>();
  let closed = false;
  let handle: JobHandler | undefined;

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

  async function runOne(job: QueuedJob, handler: JobHandler): Promise<void> {
    let isOver = true;
    try {
      await handler(job.id, ownClaim);
    } catch (error) {
      if (handle) {
        log.error({ job: job.id, reason: messageOf(error) }, 'a job could not be run: trying again');
        isOver = false;
        clock.after(retryMs, () => {
          waiting.add(job.team, job);
          next();
        });
      }
    } finally {
      handedOut.delete(job.id);
      if (isOver) known.delete(job.id);
      holdings.change(job.team, -1);
      next();
    }
  }

  async function load(handler: JobHandler): Promise<void> {
    try {
      const jobs = await stored();
      const pushed = waiting.clear().filter(({ id }) => !jobs.some((job) => job.id === id));
      for (const job of [...jobs, ...pushed]) {
        known.add(job.id);
        waiting.add(job.team, job);
      }
      if (!closed) handle = handler;
      next();
    } catch (error) {
      if (closed) return;
      log.error({ reason: messageOf(error) }, 'the jobs that were running could not be read: trying again');
      clock.after(retryMs, () => void load(handler));
    }
  }

  async function push(job: QueuedJob, tx: Database): Promise<void> {
    afterCommit(tx, () => {
      // It may have been read with the stored jobs as soon as it was committed, before this was called.
      if (known.has(job.id)) return;
      known.add(job.id);
      waiting.add(job.team, job);
      next();
    });
  }

  return {
    push,
    async pushAgain(job, tx) {
      if (handedOut.has(job.id)) return false;
      await push(job, tx);
      return true;
    },
    consume: (handler) => void load(handler),
    waits: (jobId) => !handedOut.has(jobId),
    busy: () => handle === undefined || known.size > 0,
    close() {
      closed = true;
      handle = undefined;
    },
    // They are handed out again because they are stored as running.
    giveBack: async () => undefined,
  };
}

/** Opens a queue that the nodes share, or else one of this process alone. Jobs that end their process don't run again and again. */
export function openJobQueue(
  jobs: QueuedJobs,
  parts: Parameters<typeof createJobQueue>[1] & {
    database: Database;
    shared?: { createJobQueue(jobs: QueuedJobs): JobQueue } | undefined;
  },
): JobQueue {
  return guardQueue(parts.shared?.createJobQueue(jobs) ?? createJobQueue(jobs, parts), jobs, parts);
}
