import { orAborted } from '../../platform/async.ts';

/** Runs tasks one at a time, in order. */
export function createRunQueue() {
  let last: Promise<unknown> = Promise.resolve();
  let size = 0;
  return {
    /** Number of running and waiting tasks. */
    get size(): number {
      return size;
    },
    /** Runs `task` when its turn comes. If the signal aborts first, rejects with the signal's reason and doesn't run it. */
    async add<Result>(task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
      signal.throwIfAborted();
      const previous = last;
      const { promise: turn, resolve: endTurn } = Promise.withResolvers<void>();
      last = turn;
      size++;
      try {
        await orAborted(previous, signal);
        return await task();
      } finally {
        size--;
        // A task that leaves the queue early mustn't let the next one overtake the previous one.
        void previous.then(() => endTurn());
      }
    },
  };
}
