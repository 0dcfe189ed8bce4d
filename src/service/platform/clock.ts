import { orAborted } from './async.ts';

/** The service's clocks, injected everywhere so that tests don't have to wait. */
export interface Clock {
  /** Wall clock: milliseconds since 1970, for dates that are displayed or stored. */
  now(): number;
  /** Monotonic clock in milliseconds, for durations and deadlines; it never jumps. */
  monotonic(): number;
  /** Calls `callback` once after `ms` of monotonic time, however long that is. Returns a function that cancels the call. */
  after(ms: number, callback: () => void): () => void;
}

/** Waits for some milliseconds. Rejects with the signal's reason. */
export async function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  await orAborted(promise, signal).finally(cancel);
}

/** Node's timers overflow at 2^31 ms and then fire immediately. */
const maxTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const deadline = performance.now() + ms;
    let timer: NodeJS.Timeout;
    const arm = () => {
      const left = deadline - performance.now();
      if (left <= 0) return callback();
      timer = setTimeout(arm, Math.min(Math.ceil(left), maxTimerMs));
      timer.unref();
    };
    timer = setTimeout(arm, Math.min(Math.max(0, ms), maxTimerMs));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
