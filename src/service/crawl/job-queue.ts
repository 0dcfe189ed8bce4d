/** Hands out jobs to run. A job is in the queue from when it is stored as running until it ends. */
export interface JobQueue {
  /** Adds a job that was just stored. */
  push(jobId: string): void;
  /**
   * Runs `handler` for every job, a limited number at a time, oldest first; a job is done when `handler` resolves.
   * Jobs that were running when the service last stopped are handed out again.
   */
  consume(handler: (jobId: string) => Promise<void>): void;
  /** How many jobs are running, and how many are waiting to run. */
  counts(): { running: number; waiting: number };
  /** Stops handing out jobs. */
  close(): void;
}

/** Creates a queue for a single service process; the job table is its storage. */
export function createJobQueue(stored: () => string[], maxRunning: number): JobQueue {
  const waiting: string[] = [];
  let running = 0;
  let handle: ((jobId: string) => Promise<void>) | undefined;

  function next(): void {
    while (handle && running < maxRunning) {
      const jobId = waiting.shift();
      if (jobId === undefined) return;
      running++;
      void handle(jobId).finally(() => {
        running--;
        next();
      });
    }
  }
  return {
    push(jobId) {
      waiting.push(jobId);
      next();
    },
    consume(handler) {
      waiting.unshift(...stored().filter((jobId) => !waiting.includes(jobId)));
      handle = handler;
      next();
    },
    counts: () => ({ running, waiting: waiting.length }),
    close() {
      handle = undefined;
    },
  };
}
