import { setTimeout as wait } from 'node:timers/promises';
import { orAborted } from '../../platform/async.ts';
import type { Deadline } from './deadline.ts';
import { msToLateWork, showsLoading } from './late-work.ts';
import { maxLeft, type Tab } from './tab.ts';

export type { Deadline };

/** How long to wait for a page, in milliseconds. */
export interface SettleTiming {
  /** Until the effects of an action start. */
  start: number;
  /** A page has settled when its DOM hasn't changed for this long and no script request is pending. */
  quiet: number;
  /** Whether to also wait for timers that run soon, and while the page shows that it is loading. */
  late?: boolean;
}

/** For pages that are read once and must be complete. */
const thorough: SettleTiming = { start: 50, quiet: 100, late: true };
const maxSettleMs = 4000;
/** How often a slow page has been left when the time for it is over if it seems to reload without end. */
const leftOften = 3;
/** A page that hasn't fired its load event by then is stuck on an image or a frame. */
export const maxLoadMs = 10_000;

/** Returns an expression that waits until the DOM is quiet, for whether the page then shows that it is loading. */
const quietFor = ({ quiet: ms, late }: SettleTiming) => `new Promise((resolve) => {
  const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(done, ${ms}); });
  const done = () => { observer.disconnect(); resolve(${late ? showsLoading : false}); };
  let timer = setTimeout(done, ${ms});
  observer.observe(document, { subtree: true, childList: true, characterData: true });
  setTimeout(done, ${maxSettleMs});
})`;

/** Waits until the DOM is quiet. Returns the milliseconds until something may change once more. */
async function msToChange(tab: Tab, timing: SettleTiming): Promise<number> {
  const isLoading = await tab.wait<boolean>(() => quietFor(timing));
  return timing.late ? await msToLateWork(tab, isLoading) : 0;
}

/** Waits `ms` milliseconds, at most until the deadline. Rejects at the deadline or when canceled. */
export async function delay(ms: number, { left, signal, check }: Deadline): Promise<void> {
  await wait(Math.min(ms, left()), undefined, { signal }).catch(() => undefined);
  check();
}

/** Watches a tab's navigations and requests. Start it before the navigation. */
export type Quietness = ReturnType<typeof watchQuietness>;

const awaitedTypes = new Set(['XHR', 'Fetch', 'Script', 'Document']);

/** Starts to watch a tab. Call `stop` when done. */
export function watchQuietness(tab: Tab, timing: SettleTiming = thorough) {
  /** IDs of requests, with their frame. */
  const pending = new Map<string, string | undefined>();
  let loading = false;
  let documents = 0;
  let isRestless = false;
  const heldBefore = tab.timesHeld();
  let onChange = () => {};
  const end = ({ requestId }: { requestId: string }) => {
    if (pending.delete(requestId)) onChange();
  };
  const stops = [
    tab.on('Network.requestWillBeSent', ({ requestId, type, frameId }) => {
      if (awaitedTypes.has(String(type))) pending.set(requestId, frameId);
    }),
    tab.on('Network.loadingFinished', end),
    tab.on('Network.loadingFailed', end),
    // Of a frame that moved to another process, only that process reports the end of requests.
    tab.on('Page.frameDetached', ({ frameId }) => {
      for (const [requestId, from] of pending) if (from === frameId) pending.delete(requestId);
      onChange();
    }),
    tab.on('Page.frameStartedNavigating', ({ frameId }) => {
      if (frameId === tab.frameId) loading = true;
    }),
    tab.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id !== tab.frameId) return;
      documents++;
      onChange();
    }),
    tab.on('Page.navigatedWithinDocument', ({ frameId }) => {
      if (frameId === tab.frameId) loading = false;
    }),
    tab.on('Page.frameStoppedLoading', ({ frameId }) => {
      if (frameId !== tab.frameId) return;
      loading = false;
      onChange();
    }),
  ];

  /** Returns whether the page has been left so often from now on, more than `most` times, that it seems to reload without end. */
  function reloads(): (most?: number) => boolean {
    const before = documents;
    return (most = maxLeft) => {
      const isEndless = documents - before > most;
      isRestless ||= isEndless;
      return isEndless;
    };
  }

  async function until(done: () => boolean, ms: number, deadline: Deadline): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    onChange = () => {
      if (done()) resolve();
    };
    onChange();
    const timer = setTimeout(resolve, Math.min(ms, deadline.left()));
    await orAborted(promise, deadline.signal).catch(() => undefined);
    clearTimeout(timer);
    onChange = () => {};
    deadline.check();
  }

  return {
    timing,
    /** Whether it was waited for in vain or had to be held, because it reloads without end. */
    isRestless: (): boolean => isRestless || tab.timesHeld() > heldBefore,
    /** Resolves when the page has loaded, with true, or after 10 seconds, or once it reloads without end. */
    async loaded(deadline: Deadline): Promise<boolean> {
      const isEndless = reloads();
      await until(() => !loading || isEndless(), maxLoadMs, deadline);
      return !isEndless(loading ? leftOften : maxLeft) && !loading;
    },
    /** Resolves when the page's scripts have settled, with true, or after 4 seconds, or once it reloads without end. */
    async settled(deadline: Deadline): Promise<boolean> {
      const end = performance.now() + maxSettleMs;
      const isEndless = reloads();
      for (;;) {
        // The evaluation begins again if the page navigates.
        const lateMs = await Promise.race([
          msToChange(tab, timing).catch(() => 0),
          wait(maxSettleMs + 500, 0, { ref: false }),
        ]);
        deadline.check();
        const left = end - performance.now();
        if (isEndless(left > 0 ? maxLeft : leftOften) || left <= 0) return false;
        if (!loading && pending.size === 0) {
          if (lateMs === 0) return true;
          await delay(Math.min(lateMs, left), deadline);
          continue;
        }
        await until(() => (!loading && pending.size === 0) || isEndless(), left, deadline);
      }
    },
    stop(): void {
      for (const stop of stops) stop();
    },
  };
}

/** Waits until a document that began to load before its tab was watched has loaded, at most 10 seconds. */
export async function documentLoaded(tab: Tab, deadline: Deadline): Promise<void> {
  const ms = Math.min(maxLoadMs, deadline.left());
  const loaded = `document.readyState === 'complete' || new Promise((resolve) => {
    addEventListener('load', resolve, { once: true });
    setTimeout(resolve, ${ms});
  })`;
  // The evaluation begins again if the page navigates.
  await Promise.race([tab.wait(() => loaded).catch(() => undefined), wait(ms + 500, undefined, { ref: false })]);
  deadline.check();
}

/** Waits for the effects of an action: a navigation, or scripts that change the page. */
export async function settle(quietness: Quietness, deadline: Deadline): Promise<void> {
  await delay(quietness.timing.start, deadline);
  await quietness.loaded(deadline);
  await quietness.settled(deadline);
}
