import { currentAsker } from './asker.ts';
import { createTurns } from './turns.ts';

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

/** How long tasks may run before the event loop goes on. */
const turnMs = 10;
const waiting = createTurns<() => void>();
let areGiven = false;

/**
 * Waits for a turn of the main thread, which teams take one after another, however much one of them has to do. Between turns
 * the event loop goes on.
 */
export function nextTurn(team = currentAsker()?.team ?? ''): Promise<void> {
  return new Promise((resolve) => {
    waiting.add(team, resolve);
    if (!areGiven) setImmediate(giveTurns);
    areGiven = true;
  });
}

async function giveTurns(): Promise<void> {
  const begun = performance.now();
  for (let next = waiting.take(); next; next = waiting.take()) {
    next();
    // Until the task waits for something.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    if (performance.now() - begun > turnMs) break;
  }
  areGiven = waiting.size > 0;
  if (areGiven) setImmediate(giveTurns);
}

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
      await nextTurn();
      begun = performance.now();
    },
  };
}

/**
 * Processes many items over several turns of the event loop, so that nothing else has to wait for all of them.
 * @param turn the turn of the task that this is a part of
 */
export async function inTurns<Item>(
  items: Iterable<Item>,
  work: (item: Item) => void,
  turn = createTurn(),
): Promise<void> {
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
