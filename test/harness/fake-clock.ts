import { type Clock, systemClock } from '../../src/service/platform/clock.ts';

/** A clock that only advances when a test advances it. */
export interface FakeClock extends Clock {
  /** Advances both clocks and fires the timers that are due, in order. */
  advance(ms: number): void;
  /** Sets only the wall clock, as a user or a time server does. */
  setWall(now: number): void;
}

export function createFakeClock(start = Date.UTC(2026, 0, 15, 12)): FakeClock {
  let wall = start;
  let monotonic = 1000;
  const timers = new Set<{ at: number; callback: () => void }>();
  return {
    now: () => wall,
    monotonic: () => monotonic,
    after(ms, callback) {
      const timer = { at: monotonic + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const until = monotonic + ms;
      for (;;) {
        const due = [...timers].filter(({ at }) => at <= until).sort((one, other) => one.at - other.at)[0];
        if (!due) break;
        timers.delete(due);
        wall += Math.max(0, due.at - monotonic);
        monotonic = Math.max(monotonic, due.at);
        due.callback();
      }
      wall += until - monotonic;
      monotonic = until;
    },
    setWall: (now) => {
      wall = now;
    },
  };
}

/**
 * The system's clock with other dates: from noon in the middle of a month, a millisecond later each time it is read. No
 * month ends and no schedule is due while a test runs, and no two things happen at the same time.
 */
export function createNoonClock(): Clock {
  let wall = Date.UTC(2026, 0, 15, 12);
  return { ...systemClock, now: () => wall++ };
}

/** A schedule that is due in half a year. */
export function distantSchedule(): { cron: string } {
  const month = ((new Date().getUTCMonth() + 6) % 12) + 1;
  return { cron: `0 0 1 ${month} *` };
}
