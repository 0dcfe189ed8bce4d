import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { BrowserHost } from './host.ts';

/** Spare browsers, so that new sessions don't wait for a launch. */
export interface Spares {
  /** Returns a spare browser, if one is ready, and schedules its replacement. */
  take(): BrowserHost | undefined;
  /** Opens browsers until `count` are ready or opening, once the service isn't busy, because one may be needed soon. */
  fill(): void;
  close(): Promise<void>;
}

export interface SparesOptions {
  count: number;
  open(): Promise<BrowserHost>;
  /** Whether jobs run, which a starting browser would slow down. */
  isBusy(): boolean;
  /** Whether there are sessions. Without any for a while, the spare browsers are closed until `fill` is called. */
  isUsed(): boolean;
  clock: Clock;
  log: Log;
}

/** Delay before a replacement opens, so that it doesn't slow down the new session's first run. */
const refillDelayMs = 1500;
/** How long spare browsers stay while nobody uses the service, in milliseconds. */
const unusedMs = 5 * 60_000;
const checkMs = 30_000;

export function createSpares({ count, open, isBusy, isUsed, clock, log }: SparesOptions): Spares {
  const ready = new Set<BrowserHost>();
  const opening = new Set<Promise<void>>();
  const closing = new Set<Promise<void>>();
  let closed = false;
  let cancelRefill = () => {};
  let cancelCheck = () => {};
  let usedAt = 0;

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
    noteUse();
    openMissing();
  }

  function openMissing(): void {
    cancelRefill();
    if (isBusy()) return scheduleFill();
    for (let missing = count - ready.size - opening.size; missing > 0 && !closed; missing--) {
      const task: Promise<void> = openOne().finally(() => opening.delete(task));
      opening.add(task);
    }
  }

  function scheduleFill(): void {
    cancelRefill();
    if (!closed && count > 0) cancelRefill = clock.after(refillDelayMs, openMissing);
  }

  function noteUse(): void {
    usedAt = clock.monotonic();
    cancelCheck();
    if (!closed && count > 0) cancelCheck = clock.after(checkMs, checkUse);
  }

  function checkUse(): void {
    if (isUsed() || opening.size > 0) return noteUse();
    if (clock.monotonic() - usedAt >= unusedMs) return rest();
    cancelCheck = clock.after(checkMs, checkUse);
  }

  /** Closes the spare browsers until one may be needed. */
  function rest(): void {
    cancelRefill();
    for (const host of ready) {
      const task: Promise<void> = host
        .close()
        .catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'a spare browser did not close cleanly'))
        .finally(() => closing.delete(task));
      closing.add(task);
    }
    ready.clear();
  }

  return {
    fill,
    take() {
      noteUse();
      scheduleFill();
      const [host] = ready;
      if (host) ready.delete(host);
      return host;
    },
    async close() {
      closed = true;
      cancelRefill();
      cancelCheck();
      await Promise.all([...opening, ...closing]);
      await Promise.allSettled([...ready].map((host) => host.close()));
      ready.clear();
    },
  };
}
