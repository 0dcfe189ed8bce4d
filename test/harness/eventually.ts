import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats a check until it passes; after `timeout` milliseconds, throws its last failure. */
export async function eventually<Value>(check: () => Value | Promise<Value>, timeout = 30_000): Promise<Value> {
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
