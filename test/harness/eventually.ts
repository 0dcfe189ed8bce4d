import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats a check until it passes; after `timeout` milliseconds, throws its last failure. */
export async function eventually<Value>(check: () => Value | Promise<Value>, timeout = 20_000): Promise<Value> {
  for (const end = performance.now() + timeout; ; await sleep(10)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}
