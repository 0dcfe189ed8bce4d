import { messageOf } from '../../platform/errors.ts';
import type { Platform } from '../../platform/platform.ts';
import type { BrowserHost } from './host.ts';

export interface SparesOptions extends Pick<Platform, 'clock' | 'log'> {
  count: number;
  /** How many are kept at most while many sessions are asked for at once. */
  most: number;
  open(): Promise<BrowserHost>;
  /** Whether jobs run, which a starting browser would slow down. */
  isBusy(): boolean;
  /** Whether there are sessions. Without any for a while, the spare browsers are closed until `fill` is called. */
  isUsed(): boolean;
}

/** Delay before a replacement opens, so that it doesn't slow down the new session's first run. */
const refillDelayMs = 1500;
/** How long spare browsers stay while nobody uses the service, in milliseconds. */
const unusedMs = 5 * 60_000;
const checkMs = 30_000;
/** Sessions that are asked for within this time, in milliseconds, can't use the same spare browsers. */
const demandMs = 3000;
/** How many replacements open at the same time, beside the sessions that run. */
const openAtOnce = 2;

/** Spare browsers, so that new sessions don't wait for a launch. */
export function createSpares({ count, most, open, isBusy, isUsed, clock, log }: SparesOptions) {
  const ready = new Set<BrowserHost>();
  const opening = new Set<Promise<void>>();
  /** Sessions that wait for browsers which are opening. */
  const waiting: ((host: BrowserHost | undefined) => void)[] = [];
  const closing = new Set<Promise<void>>();
  let closed = false;
  let cancelRefill = () => {};
  let cancelCheck = () => {};
  let usedAt = 0;
  /** How many spare browsers there should be; more than `count` while as many sessions are asked for at once. */
  let wanted = count;
  let wantedAt = 0;
  let asked: number[] = [];

  async function openOne(): Promise<void> {
    try {
      const host = await open();
      if (closed) {
        waiting.shift()?.(undefined);
        return await host.close();
      }
      // Those beyond are for programs that ask for many sessions, few of which run snippets.
      if (ready.size < count) warm(host);
      const give = waiting.shift();
      if (give) return give(host);
      ready.add(host);
      void host.browser.ended.then(async () => {
        if (closed || !ready.delete(host)) return;
        log.warn('a spare browser stopped unexpectedly');
        await close(host);
        scheduleFill();
      });
    } catch (error) {
      // No retry: the next session request opens a browser itself and reports its error.
      log.warn({ reason: messageOf(error) }, 'failed to open a spare browser');
      waiting.shift()?.(undefined);
    }
  }

  const close = (host: BrowserHost) =>
    host
      .close()
      .catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'a spare browser did not close cleanly'));

  /** Starts the runner of the first run. */
  function warm(host: BrowserHost): void {
    host
      .runner('node')
      .warm()
      .catch((error: unknown) => {
        // The browser of a session that has ended is no spare any more.
        if (ready.has(host)) log.warn({ reason: messageOf(error) }, 'the runner of a spare browser did not start');
      });
  }

  /** Opens browsers until `count` are ready or opening, or as many as were asked for lately, once the service isn't busy, because one may be needed soon. */
  function fill(): void {
    noteUse();
    openMissing();
  }

  function openMissing(): void {
    cancelRefill();
    if (isBusy()) return scheduleFill();
    for (let missing = wanted - ready.size - opening.size; missing > 0 && opening.size < openAtOnce; missing--) {
      if (closed) return;
      const task: Promise<void> = openOne().then(() => {
        opening.delete(task);
        if (ready.size > count) openMissing();
      });
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

  /** Notes that a session was asked for, and with how many others. */
  function noteDemand(): void {
    const now = clock.monotonic();
    asked = [...asked.filter((at) => now - at < demandMs), now];
    const demand = Math.min(most, Math.max(count, asked.length));
    if (demand < wanted && now - wantedAt < unusedMs) return;
    wanted = demand;
    wantedAt = now;
  }

  function checkUse(): void {
    if (wanted > count && clock.monotonic() - wantedAt >= unusedMs) {
      wanted = count;
      rest([...ready].slice(count));
    }
    if (isUsed() || opening.size > 0) return noteUse();
    if (clock.monotonic() - usedAt >= unusedMs) return rest([...ready]);
    cancelCheck = clock.after(checkMs, checkUse);
  }

  /** Closes spare browsers until one may be needed. */
  function rest(hosts: readonly BrowserHost[]): void {
    cancelRefill();
    for (const host of hosts) {
      ready.delete(host);
      const task: Promise<void> = close(host).finally(() => closing.delete(task));
      closing.add(task);
    }
  }

  return {
    fill,
    /** Resolves to a spare browser, if one is ready or opening, and schedules its replacement. */
    take(): Promise<BrowserHost | undefined> {
      noteUse();
      if (count > 0) noteDemand();
      scheduleFill();
      const [host] = ready;
      if (host) ready.delete(host);
      else if (opening.size > waiting.length) return new Promise((resolve) => waiting.push(resolve));
      return Promise.resolve(host);
    },
    async close(): Promise<void> {
      closed = true;
      cancelRefill();
      cancelCheck();
      await Promise.all([...opening, ...closing]);
      await Promise.allSettled([...ready].map((host) => host.close()));
      ready.clear();
    },
  };
}
