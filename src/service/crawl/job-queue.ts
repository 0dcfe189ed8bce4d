import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';

/** Hands out jobs to run. A job is in the queue from when it is stored as running until it ends. */
export interface JobQueue {
  /** Adds a job that was just stored. */
  push(jobId: string): void;
  /**
   * Runs `handler` for every job, a limited number at a time, oldest first; a job is done when `handler` resolves.
   * Jobs that were running when the service last stopped are handed out again.
   */
  consume(handler: (jobId: string) => Promise<void>): void;
  /** Whether a job has not been handed out yet. */
  waits(jobId: string): boolean;
  /** Whether jobs are running or waiting to run, or it isn't known yet. */
  busy(): boolean;
  /** How many jobs are running, and how many are waiting to run. */
  counts(): { running: number; waiting: number };
  /** Stops handing out jobs. */
  close(): void;
}

const retryMs = 5_000;

/** Creates a queue for a single service process; the job table is its storage. */
export function createJobQueue(
  stored: () => Promise<string[]>,
  maxRunning: number,
  { clock, log }: { clock: Clock; log: Log },
): JobQueue {
  const waiting: string[] = [];
  const handedOut = new Set<string>();
  let running = 0;
  let closed = false;
  let handle: ((jobId: string) => Promise<void>) | undefined;

  function next(): void {
    while (handle && running < maxRunning) {
      const jobId = waiting.shift();
      if (jobId === undefined) return;
      running++;
      handedOut.add(jobId);
      void runOne(jobId, handle);
    }
  }

  async function runOne(jobId: string, handler: (jobId: string) => Promise<void>): Promise<void> {
    try {
      await handler(jobId);
    } catch (error) {
      if (handle) {
        log.error({ job: jobId, reason: messageOf(error) }, 'a job could not be run: trying again');
        clock.after(retryMs, () => {
          waiting.push(jobId);
          next();
        });
      }
    } finally {
      running--;
      handedOut.delete(jobId);
      next();
    }
  }

  async function load(handler: (jobId: string) => Promise<void>): Promise<void> {
    try {
      const ids = await stored();
      waiting.unshift(...ids.filter((jobId) => !waiting.includes(jobId)));
      if (!closed) handle = handler;
      next();
    } catch (error) {
      if (closed) return;
      log.error({ reason: messageOf(error) }, 'the jobs that were running could not be read: trying again');
      clock.after(retryMs, () => void load(handler));
    }
  }

  return {
    push(jobId) {
      waiting.push(jobId);
      next();
    },
    consume: (handler) => void load(handler),
    waits: (jobId) => !handedOut.has(jobId),
    busy: () => handle === undefined || running + waiting.length > 0,
    counts: () => ({ running, waiting: waiting.length }),
    close() {
      closed = true;
      handle = undefined;
    },
  };
}
