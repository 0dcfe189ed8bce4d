import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Milliseconds that any wait for a state may take: so long that a slow machine makes tests slow, not red. Only a test of
 * the runner itself, which waits for what never comes, has less.
 */
export const patience = Number(process.env.WEBDATA_TEST_PATIENCE ?? 120_000);

/**
 * Milliseconds for one attempt at what is tried again until it works, such as a click that a redraw may lose. A slow
 * machine gets longer ones: half as long as it has been tried.
 */
export const attemptAfter = (waited: number): number => Math.max(patience / 40, waited / 2);

/**
 * Repeats a check until it passes; after `timeout` milliseconds, throws its last failure. The check gets the milliseconds
 * for waits of its own.
 */
export async function eventually<Value>(
  check: (attempt: number) => Value | Promise<Value>,
  timeout = patience,
): Promise<Value> {
  const start = performance.now();
  const waited = () => performance.now() - start;
  // Checks in a window cost it time: those that wait long are repeated less often.
  for (let pause = 10; ; await sleep(pause), pause = Math.min(pause * 1.5, 150)) {
    try {
      return await check(attemptAfter(waited()));
    } catch (error) {
      if (waited() > timeout) throw error;
    }
  }
}
