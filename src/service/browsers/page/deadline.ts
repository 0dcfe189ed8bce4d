import { ServiceError } from '../../platform/errors.ts';
import type { Deadline } from './settle.ts';

/** Creates a time limit for work with a page, in milliseconds from now. `check` throws `late()` once it has passed. */
export function createDeadline(limitMs: number, signal: AbortSignal, late: () => Error = tooLate): Deadline {
  const until = performance.now() + limitMs;
  const timeout = AbortSignal.timeout(limitMs);
  return {
    signal: AbortSignal.any([signal, timeout]),
    left: () => Math.max(1, Math.floor(until - performance.now())),
    check() {
      signal.throwIfAborted();
      if (timeout.aborted || performance.now() >= until) throw late();
    },
  };
}

const tooLate = () => new ServiceError(409, 'the time limit was reached');
