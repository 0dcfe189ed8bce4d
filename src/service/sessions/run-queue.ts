/** Runs tasks one after another, in the order they came. */
export interface RunQueue {
  /** Waits for its turn, then runs `task`. A caller whose signal aborts while waiting never runs: it rejects with the signal's reason. */
  add<Result>(task: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
  /** How many run or wait. */
  readonly size: number;
}

export function createRunQueue(): RunQueue {
  let last: Promise<unknown> = Promise.resolve();
  let size = 0;
  return {
    get size() {
      return size;
    },
    async add(task, signal) {
      signal.throwIfAborted();
      const previous = last;
      const { promise: turn, resolve: pass } = Promise.withResolvers<void>();
      last = turn;
      size++;
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      const onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        await Promise.race([previous, aborted]);
        signal.removeEventListener('abort', onAbort);
        return await task();
      } finally {
        signal.removeEventListener('abort', onAbort);
        size--;
        // One that left the queue early must not let its successor overtake its predecessor.
        void previous.then(() => pass());
      }
    },
  };
}
