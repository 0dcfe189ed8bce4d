/** Hands jobs to whoever runs them. Jobs are in it from the moment they are stored as running until they have ended. */
export interface JobQueue {
  /** A job was stored: somebody is to run it. */
  push(jobId: string): void;
  /**
   * Runs `handler` for every job, some at a time, oldest first; a job is done when it resolves.
   * Jobs that were begun before the service stopped come again.
   */
  consume(handler: (jobId: string) => Promise<void>): void;
  /** How many are being run, and how many wait for that. */
  counts(): { running: number; waiting: number };
  /** Hands out no more. */
  close(): void;
}

/** The queue of one service on its own machine: what waits is in the table of jobs. */
export function createJobQueue(stored: () => string[], atATime: number): JobQueue {
  const waiting: string[] = [];
  let running = 0;
  let handle: ((jobId: string) => Promise<void>) | undefined;

  function next(): void {
    while (handle && running < atATime) {
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
