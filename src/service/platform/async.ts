/** Waits for `promise`, or rejects with the signal's reason when it aborts. Leaves no listener behind: the signal may live as long as the service. */
export async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** How long a task may run before others get a turn of the event loop. */
const turnMs = 10;

/** A turn of a long task, which checks `isOver` at each step. */
export type Turn = ReturnType<typeof createTurn>;

export function createTurn() {
  let begun = performance.now();
  return {
    get isOver(): boolean {
      return performance.now() - begun > turnMs;
    },
    /** Lets others run, and begins another turn. */
    async end(): Promise<void> {
      await new Promise(setImmediate);
      begun = performance.now();
    },
  };
}

/** Processes many items over several turns of the event loop, so that nothing else has to wait for all of them. */
export async function inTurns<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
  const turn = createTurn();
  for (const item of items) {
    if (turn.isOver) await turn.end();
    work(item);
  }
}

/** Returns whether `work` ended within `ms` milliseconds; rejects as it does. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, ms, false);
  return await Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer));
}
