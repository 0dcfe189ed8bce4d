import { setTimeout as sleep } from 'node:timers/promises';

/** Tries a check again and again until it passes; after `timeout` milliseconds its last failure is thrown. */
export async function eventually<Value>(check: () => Value | Promise<Value>, timeout = 8_000): Promise<Value> {
  for (const end = performance.now() + timeout; ; await sleep(10)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}
