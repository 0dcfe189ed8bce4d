import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Milliseconds that any wait for a state may take: so long that a slow machine makes tests slow, not red. Only a test of
 * the runner itself, which waits for what never comes, has less.
 */
export const patience = Number(process.env.WEBDATA_TEST_PATIENCE ?? 120_000);

/** Repeats a check until it passes; after `timeout` milliseconds, throws its last failure. */
export async function eventually<Value>(check: () => Value | Promise<Value>, timeout = patience): Promise<Value> {
  const end = performance.now() + timeout;
  // Checks in a window cost it time: those that wait long are repeated less often.
  for (let pause = 10; ; await sleep(pause), pause = Math.min(pause * 1.5, 150)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}
