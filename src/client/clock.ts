/** The client's clock and timers; tests pass a fake one. */
export interface ClientClock {
  /** Wall clock: milliseconds since 1970. */
  now(): number;
  /** Calls back once after `ms`. Returns a function that cancels. */
  after(ms: number, callback: () => void): () => void;
}

/** A longer delay would overflow and fire at once. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: ClientClock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), longestTimerMs));
    return () => clearTimeout(timer);
  },
};
