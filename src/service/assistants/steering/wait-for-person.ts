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
  const { promise, resolve } = Promise.withResolvers<'late' | 'gone'>();
  const started = clock.monotonic();
  let cancelReport = () => {};
  const report = () => {
    const seconds = Math.round((clock.monotonic() - started) / 1000);
    call.report({ progress: seconds + 1, message: `${what} ${seconds} s` });
    cancelReport = clock.after(reportMs, report);
  };
  const cancelLate = clock.after(ms, () => resolve('late'));
  const onAbort = () => resolve('gone');
  call.signal.addEventListener('abort', onAbort, { once: true });
  report();
  const outcome = await Promise.race([done, promise]);
  call.signal.removeEventListener('abort', onAbort);
  cancelLate();
  cancelReport();
  call.waitedMs += clock.monotonic() - started;
  return outcome;
}
