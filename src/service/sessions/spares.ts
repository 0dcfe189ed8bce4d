import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { BrowserHost } from './host.ts';

/** Spare browsers, so that new sessions don't wait for a launch. */
export interface Spares {
  /** Returns a spare browser, if one is ready, and schedules its replacement. */
  take(): BrowserHost | undefined;
  /** Opens browsers until `count` are ready or opening. */
  fill(): void;
  close(): Promise<void>;
}

export interface SparesOptions {
  count: number;
  open(): Promise<BrowserHost>;
  clock: Clock;
  log: Log;
}

/** Delay before a replacement opens, so that it doesn't slow down the new session's first run. */
const refillDelayMs = 1500;

export function createSpares({ count, open, clock, log }: SparesOptions): Spares {
  const ready = new Set<BrowserHost>();
  const opening = new Set<Promise<void>>();
  let closed = false;
  let cancelRefill = () => {};

  async function openOne(): Promise<void> {
    try {
      const host = await open();
      if (closed) return await host.close();
      ready.add(host);
      void host.browser.ended.then(async () => {
        if (!ready.delete(host)) return;
        log.warn('a spare browser stopped unexpectedly');
        await host
          .close()
          .catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'a spare browser did not close cleanly'));
        scheduleFill();
      });
      await host.runner('node').warm();
    } catch (error) {
      // No retry: the next session request opens a browser itself and reports its error.
      log.warn({ reason: messageOf(error) }, 'failed to open a spare browser');
    }
  }

  function fill(): void {
    cancelRefill();
    for (let missing = count - ready.size - opening.size; missing > 0 && !closed; missing--) {
      const task: Promise<void> = openOne().finally(() => opening.delete(task));
      opening.add(task);
    }
  }

  function scheduleFill(): void {
    cancelRefill();
    if (!closed) cancelRefill = clock.after(refillDelayMs, fill);
  }

  return {
    fill,
    take() {
      const [host] = ready;
      if (!host) return undefined;
      ready.delete(host);
      scheduleFill();
      return host;
    },
    async close() {
      closed = true;
      cancelRefill();
      await Promise.all(opening);
      await Promise.allSettled([...ready].map((host) => host.close()));
      ready.clear();
    },
  };
}
