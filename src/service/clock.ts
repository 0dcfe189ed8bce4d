/** The clocks of the service, passed in everywhere so that tests need not wait. */
export interface Clock {
  /** Wall clock: milliseconds since 1970, for dates that are shown or stored. */
  now(): number;
  /** Monotonic clock in milliseconds, for durations and deadlines: it never jumps. */
  monotonic(): number;
  /** Calls back once after `ms` of monotonic time; any length is fine. Gives back a function that cancels. */
  after(ms: number, callback: () => void): () => void;
}

/** Node's timers overflow at 2^31 ms and then fire at once. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const deadline = performance.now() + ms;
    let timer: NodeJS.Timeout;
    const arm = () => {
      const left = deadline - performance.now();
      if (left <= 0) return callback();
      timer = setTimeout(arm, Math.min(Math.ceil(left), longestTimerMs));
      timer.unref();
    };
    timer = setTimeout(arm, Math.min(Math.max(0, ms), longestTimerMs));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
