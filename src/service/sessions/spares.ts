import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { BrowserHost } from './host.ts';

/** Browsers kept ready, so that creating a session need not wait for a launch. */
export interface Spares {
  /** A ready browser, if there is one; another is made in its place. */
  take(): BrowserHost | undefined;
  /** Makes up for what is missing. */
  fill(): void;
  close(): Promise<void>;
}

export interface SparesOptions {
  count: number;
  open(): Promise<BrowserHost>;
  clock: Clock;
  log: Log;
}

/** A replacement is begun this long after a hand-over: the new session's first run has the machine to itself. */
const refillAfterMs = 1500;

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
        log.warn('a spare browser ended by itself');
        await host.close();
        scheduleFill();
      });
      await host.runner('node').warm();
    } catch (error) {
      // Whoever asks for a session will be told why; there is nothing to gain by trying again until then.
      log.warn({ reason: messageOf(error) }, 'no spare browser could be made ready');
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
    if (!closed) cancelRefill = clock.after(refillAfterMs, fill);
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
      await Promise.all([...ready].map((host) => host.close()));
      ready.clear();
    },
  };
}
