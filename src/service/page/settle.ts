import { setTimeout as wait } from 'node:timers/promises';
import type { Tab } from './tab.ts';

/** The end of what a scrape may take. */
export interface Deadline {
  /** Milliseconds left, at least 1. */
  left(): number;
  /** Throws when the scrape was given up or its time is over. */
  check(): void;
  readonly signal: AbortSignal;
}

/** How patient to be with a page, in milliseconds. */
export interface Patience {
  /** Until what an action begins shows. */
  begin: number;
  /** A page has settled when nothing in it changed for so long and no script waits for an answer. */
  quiet: number;
}

/** What is read once must be whole. */
const thorough: Patience = { begin: 50, quiet: 100 };
const longestSettleMs = 4000;
/** A page that has fired no load event by now hangs on a picture or a frame. */
const longestLoadMs = 10_000;

const quietFor = (ms: number) => `new Promise((resolve) => {
  const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(done, ${ms}); });
  const done = () => { observer.disconnect(); resolve(true); };
  let timer = setTimeout(done, ${ms});
  observer.observe(document, { subtree: true, childList: true, characterData: true });
  setTimeout(done, ${longestSettleMs});
})`;

/** Waits some milliseconds, or until the deadline. Rejects when the scrape is given up. */
export async function delay(ms: number, { left, signal, check }: Deadline): Promise<void> {
  await wait(Math.min(ms, left()), undefined, { signal }).catch(() => undefined);
  check();
}

/** Follows what a tab is loading, from before it begins. */
export interface Quietness {
  readonly patience: Patience;
  /** Resolves when the page has loaded, or when it is clear that it will not. */
  loaded(deadline: Deadline): Promise<void>;
  /** Resolves when scripts have done what they do at once. */
  settled(deadline: Deadline): Promise<void>;
  stop(): void;
}

const waitedFor = new Set(['XHR', 'Fetch', 'Script', 'Document']);

export function watchQuietness(tab: Tab, patience: Patience = thorough): Quietness {
  const pending = new Set<unknown>();
  let loading = false;
  let onChange = () => {};
  const end = ({ requestId }: Record<string, unknown>) => {
    if (pending.delete(requestId)) onChange();
  };
  const stops = [
    tab.on('Network.requestWillBeSent', ({ requestId, type }) => {
      if (waitedFor.has(String(type))) pending.add(requestId);
    }),
    tab.on('Network.loadingFinished', end),
    tab.on('Network.loadingFailed', end),
    tab.on('Page.frameStartedNavigating', ({ frameId }) => {
      if (frameId === tab.frameId) loading = true;
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

  async function until(done: () => boolean, ms: number, deadline: Deadline): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    onChange = () => {
      if (done()) resolve();
    };
    onChange();
    const timer = setTimeout(resolve, Math.min(ms, deadline.left()));
    deadline.signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
    onChange = () => {};
    deadline.check();
  }

  return {
    patience,
    loaded: (deadline) => until(() => !loading, longestLoadMs, deadline),
    async settled(deadline) {
      const end = performance.now() + longestSettleMs;
      for (;;) {
        // A page that goes elsewhere takes the question with it.
        await Promise.race([
          tab.evaluate(quietFor(patience.quiet)).catch(() => undefined),
          wait(longestSettleMs + 500, undefined, { ref: false }),
        ]);
        deadline.check();
        if (!loading && pending.size === 0) return;
        const left = end - performance.now();
        if (left <= 0) return;
        await until(() => !loading && pending.size === 0, left, deadline);
      }
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** Waits for what an action may have begun: a navigation, or scripts that change the page. */
export async function settle(quietness: Quietness, deadline: Deadline): Promise<void> {
  await delay(quietness.patience.begin, deadline);
  await quietness.loaded(deadline);
  await quietness.settled(deadline);
}
