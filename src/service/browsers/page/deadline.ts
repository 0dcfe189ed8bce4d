import { ServiceError } from '../../platform/errors.ts';
import type { Deadline } from './settle.ts';

/** Creates a time limit for work with a page, in milliseconds from now. `late()` is what its signal aborts with, and `check` throws. */
export function createDeadline(limitMs: number, signal: AbortSignal, late: () => Error = tooLate): Deadline {
  const until = performance.now() + limitMs;
  const timeout = new AbortController();
  setTimeout(() => timeout.abort(late()), limitMs).unref();
  return {
    signal: AbortSignal.any([signal, timeout.signal]),
    left: () => Math.max(1, Math.floor(until - performance.now())),
    check() {
      signal.throwIfAborted();
      if (timeout.signal.aborted || performance.now() >= until) throw late();
    },
  };
}

const tooLate = () => new ServiceError(409, 'the time limit was reached');
