import { storageProblem } from '../../../../storage/storage.ts';
import type { Clock } from '../../../platform/clock.ts';
import { messageOf } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';

/** Waits between attempts to store something when storage fails, and the most such failures in a row. */
const backoffMs = { first: 1000, longest: 30_000 };
const maxFailures = 30;

/** The pauses that a run makes when storage fails: each longer than the one before, until something is stored again. */
export function createStoragePauses(job: string, { clock, log }: { clock: Clock; log: Log }) {
  let failures = 0;
  let isTrying = false;
  let until = 0;
  return {
    /** Whether the run should fetch one page at a time, because storing the last one failed. */
    get isTrying() {
      return isTrying;
    },
    /** Milliseconds until the pause ends; 0 if there is none. */
    get leftMs() {
      return Math.max(0, until - clock.monotonic());
    },
    /** Pauses the run for another reason. */
    pause(ms: number) {
      until = clock.monotonic() + ms;
    },
    /** Begins a pause after a failure. Returns whether to give up: after many in a row, but not while the database is unavailable. */
    failed(error: unknown, what: string): boolean {
      const problem = storageProblem(error);
      isTrying ||= problem !== undefined;
      // Pages that were in flight together fail together.
      if (clock.monotonic() >= until) {
        failures++;
        until = clock.monotonic() + Math.min(backoffMs.first * 2 ** (failures - 1), backoffMs.longest);
        log.error({ job, reason: messageOf(error) }, what);
      }
      return failures >= maxFailures && (problem === undefined || problem === 'full');
    },
    /** Notes that something was stored. */
    succeeded() {
      failures = 0;
      isTrying = false;
    },
  };
}
