import { ServiceError } from '../../platform/errors.ts';

/** The time limit of an operation on a page. */
export type Deadline = ReturnType<typeof createDeadline>;

/** Creates a time limit for work with a page, in milliseconds from now. `late(limitMs)` is what its signal aborts with, and `check` throws. */
export function createDeadline(limitMs: number, signal: AbortSignal, late: (limitMs: number) => Error = tooLate) {
  const until = performance.now() + limitMs;
  const timeout = abortedAfter(limitMs, late);
  return {
    signal: AbortSignal.any([signal, timeout]),
    /** Returns the milliseconds left, at least 1. */
    left: () => Math.max(1, Math.floor(until - performance.now())),
    /** Throws if the operation was canceled or timed out. */
    check(): void {
      signal.throwIfAborted();
      if (timeout.aborted || performance.now() >= until) throw late(limitMs);
    },
  };
}

/** The timer outlives most work, so it keeps nothing else in memory: `late` should be a function of its module. */
function abortedAfter(limitMs: number, late: (limitMs: number) => Error): AbortSignal {
  const timeout = new AbortController();
  setTimeout(() => timeout.abort(late(limitMs)), limitMs).unref();
  return timeout.signal;
}

const tooLate = () => new ServiceError(409, 'the time limit was reached');
