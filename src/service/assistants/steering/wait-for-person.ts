import { orAborted } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SteeredCall } from './steering.ts';

/** How often a waiting call reports its progress. */
const reportMs = 2_000;

/** Waits for something that a person does, at most so long, and as long as somebody waits for the call. What it waits doesn't count as the agent's time. */
export async function waitForPerson<Outcome>(
  call: SteeredCall,
  what: string,
  ms: number,
  done: Promise<Outcome>,
  clock: Clock,
): Promise<Outcome | 'late' | 'gone'> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const started = clock.monotonic();
  let cancelReport = () => {};
  const report = () => {
    const seconds = Math.round((clock.monotonic() - started) / 1000);
    call.report({ progress: seconds + 1, message: `${what} ${seconds} s` });
    cancelReport = clock.after(reportMs, report);
  };
  const cancelLate = clock.after(ms, () => resolve('late'));
  report();
  // Only the end of the call fails this.
  const outcome = await orAborted(Promise.race([done, late]), call.signal).catch(() => 'gone' as const);
  cancelLate();
  cancelReport();
  call.waitedMs += clock.monotonic() - started;
  return outcome;
}
