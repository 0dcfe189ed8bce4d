import { attachTab, attempt, authenticateToProxy, type Tab } from '../../../browsers/page/tab.ts';
import { within } from '../../../platform/async.ts';
import { messageOf } from '../../../platform/errors.ts';
import type { EgressProxy } from '../../../platform/network/egress-proxy.ts';
import { createHoldings } from '../../../platform/turns.ts';
import type { ScraperOptions } from '../scrape.ts';
import { createScrapingBrowsers, type OpenBrowser, type ScrapingBrowsersOptions } from './scraping-browsers.ts';

/** A pool of reusable tabs: opening one takes longer than loading most pages. */
export type TabPool = ReturnType<typeof createTabPool>;

export interface TabPoolOptions extends ScrapingBrowsersOptions, Pick<ScraperOptions, 'clock'> {
  /** The egress proxy for a local browser. */
  egress(): Promise<EgressProxy>;
  /** Maximum number of tabs open at a time. */
  size: number;
}

/** The browsers are closed when no page has been rendered for this long. */
const idleMs = 60_000;
/** A tab is closed after this many pages, which limits memory leaks. */
const maxUses = 200;
/** A tab that isn't clean by then is stuck. */
const cleaningMs = 3000;

/** Tabs in addition to all others, one for each team that has none. */
const shares = 4;

interface Place {
  tab: Tab;
  user: string;
  /** The team that has it, or had it last. */
  team: string;
  visit?: string | undefined;
  uses: number;
  owner: OpenBrowser;
  contextId: string;
}

interface Waiter {
  user: string;
  team: string;
  visit: string | undefined;
  resolve(tab: Tab): void;
  reject(error: unknown): void;
}

export function createTabPool(options: TabPoolOptions) {
  const { provider, clock, log } = options;
  const free: Place[] = [];
  const busy = new Map<Tab, Place>();
  const waiting: Waiter[] = [];
  /** Tabs that teams have, or that are being opened for them. */
  const holdings = createHoldings();
  /** Number of tabs being opened, cleaned or closed. */
  let preparing = 0;
  /** Tabs being cleaned: they are ready sooner than a new tab. */
  const cleaning = new Set<Place>();
  const hasTabs = (team: string) => holdings.of(team) > 0 || [...cleaning].some((place) => place.team === team);
  const browsers = createScrapingBrowsers({
    ...options,
    hasTabs,
    onShared: (shared) => closeFree(({ owner, team }) => owner === shared && !hasTabs(team)),
    onGone: (gone) => closeFree(({ owner }) => owner === gone),
    onEnded: () => serveWaiters(),
    onCrashed: (crashed, targetId) => closeFree(({ owner, tab }) => owner === crashed && tab.frameId === targetId),
  });
  let cancelIdle = () => {};
  let closed = false;

  function closeFree(isMeant: (place: Place) => boolean): void {
    for (const place of free.filter(isMeant)) {
      free.splice(free.indexOf(place), 1);
      place.tab.close().catch(() => undefined);
    }
  }

  async function openPlace({ user, team }: Waiter): Promise<Place> {
    const owner = await browsers.of(team);
    const { client } = owner;
    const egress = provider.local ? await options.egress() : undefined;
    const lane = egress?.lane();
    const { browserContextId: contextId } = await client.send('Target.createBrowserContext', {
      disposeOnDetach: true,
      ...(egress && { proxyServer: egress.url, proxyBypassList: '<-loopback>' }),
    });
    const dispose = async () => {
      await attempt(client.send('Target.disposeBrowserContext', { browserContextId: contextId }));
    };
    let tab: Tab | undefined;
    try {
      const [{ targetId }] = await Promise.all([
        client.send('Target.createTarget', { url: 'about:blank', browserContextId: contextId }),
        client.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId: contextId }),
      ]);
      tab = await attachTab(client, targetId, {
        contextId,
        sharedPid: owner.browser.pid,
        ...(lane && { lane }),
        close: dispose,
      });
      if (lane) await authenticateToProxy(tab, lane);
      return { tab, user, team, uses: 0, owner, contextId };
    } catch (error) {
      lane?.close();
      await (tab?.close() ?? dispose());
      throw error;
    }
  }

  async function clean({ tab, owner, contextId }: Place): Promise<void> {
    const { client, crashed } = owner;
    await goToBlank(tab);
    await Promise.all([
      client.send('Storage.clearCookies', { browserContextId: contextId }),
      tab.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' }),
    ]);
    if (crashed.has(tab.frameId)) throw new Error('it crashed');
    tab.lane?.reset();
  }

  /** Returns the oldest waiter of the team that has the fewest tabs, except for those whose own tab is being cleaned. */
  function nextWaiter(): Waiter | undefined {
    let next: Waiter | undefined;
    const coming = new Set(cleaning);
    for (const waiter of waiting) {
      const own = [...coming].find(({ user }) => user === waiter.user);
      if (own && !free.some(({ user }) => user === waiter.user)) {
        coming.delete(own);
        continue;
      }
      if (!next || holdings.of(waiter.team) < holdings.of(next.team)) next = waiter;
    }
    return next;
  }

  function unqueue(waiter: Waiter): void {
    const index = waiting.indexOf(waiter);
    if (index !== -1) waiting.splice(index, 1);
  }

  /** Assigns tabs to waiters, opening new ones if the pool isn't full. */
  function serveWaiters(): void {
    cancelIdle();
    for (let next = nextWaiter(); next; next = nextWaiter()) {
      const waiter = next;
      const own = free.findIndex(({ user }) => user === waiter.user);
      if (own !== -1) {
        const [place] = free.splice(own, 1);
        unqueue(waiter);
        if (place) assign(place, waiter);
        continue;
      }
      const open = busy.size + preparing + free.length;
      if (open >= options.size) {
        // Another user's idle tab makes room for a new one.
        const other = free.shift();
        if (other) other.tab.close().catch(() => undefined);
        else if (holdings.of(waiter.team) > 0 || open >= options.size + shares) return;
      }
      unqueue(waiter);
      preparing++;
      holdings.change(waiter.team, 1);
      openPlace(waiter)
        .finally(() => holdings.change(waiter.team, -1))
        .then((place) => assign(place, waiter), waiter.reject)
        .finally(() => {
          preparing--;
          serveWaiters();
        });
    }
    if (busy.size + preparing === 0 && !closed) cancelIdle = clock.after(idleMs, closeInBackground);
  }

  function assign(place: Place, waiter: Waiter): void {
    busy.set(place.tab, place);
    holdings.change(waiter.team, 1);
    place.team = waiter.team;
    place.visit = waiter.visit;
    place.uses++;
    waiter.resolve(place.tab);
  }

  function closeInBackground(): void {
    browsers
      .close()
      .catch((error: unknown) =>
        log.warn({ reason: messageOf(error) }, 'a browser that renders pages could not be closed'),
      );
  }

  return {
    /**
     * Waits for a tab. No other user has used it, and it holds no state of earlier pages, unless they belong to the same
     * visit: then the tab isn't cleaned in between, which halves the cost. Tabs are reused only for users with the same name.
     * Teams take turns, and one without a tab gets one even if the others hold all.
     * @param onQueued called with the milliseconds that it waited because all tabs were in use
     */
    async acquire(
      { team, name: user }: { team: string; name: string },
      signal: AbortSignal,
      visit?: string,
      onQueued?: (ms: number) => void,
    ): Promise<Tab> {
      signal.throwIfAborted();
      if (closed) throw new Error('The service is shutting down.');
      const { promise, resolve, reject } = Promise.withResolvers<Tab>();
      let cancelled = false;
      const waiter: Waiter = {
        user,
        team,
        visit,
        reject,
        resolve: (tab) => {
          if (cancelled) release(tab, true);
          else resolve(tab);
        },
      };
      const cancel = () => {
        cancelled = true;
        unqueue(waiter);
        reject(signal.reason);
      };
      signal.addEventListener('abort', cancel, { once: true });
      waiting.push(waiter);
      const since = clock.monotonic();
      const isFull = busy.size + preparing + free.length >= options.size;
      serveWaiters();
      if (isFull && waiting.includes(waiter)) {
        const { resolve: give } = waiter;
        waiter.resolve = (tab) => {
          onQueued?.(Math.round(clock.monotonic() - since));
          give(tab);
        };
      }
      return promise.finally(() => signal.removeEventListener('abort', cancel));
    },
    release,
    async close(): Promise<void> {
      closed = true;
      cancelIdle();
      for (const waiter of waiting.splice(0)) waiter.reject(new Error('The service is shutting down.'));
      await browsers.close();
    },
  };

  /** Returns a tab to the pool, which cleans it or, if it isn't `reusable`, closes it. */
  function release(tab: Tab, reusable: boolean): void {
    const place = busy.get(tab);
    if (!place) return;
    busy.delete(tab);
    holdings.change(place.team, -1);
    const isSpare = busy.size + preparing + free.length >= options.size;
    const usable = reusable && place.uses < maxUses && !place.owner.gone && !closed && !isSpare;
    const next = nextWaiter();
    if (usable && next && place.visit !== undefined && next.visit === place.visit && next.user === place.user) {
      unqueue(next);
      tab.lane?.reset();
      return assign(place, next);
    }
    preparing++;
    if (usable) cleaning.add(place);
    (usable ? within(cleaningMs, clean(place)) : tab.close())
      .then((isDone) => {
        if (isDone === false) throw new Error(`it took longer than ${cleaningMs / 1000} s`);
        if (usable && !place.owner.gone) free.push(place);
      })
      .catch(async (error: unknown) => {
        log.debug({ reason: messageOf(error) }, 'could not clean a tab');
        await attempt(tab.close());
      })
      .finally(() => {
        preparing--;
        cleaning.delete(place);
        serveWaiters();
      });
  }
}

/** Navigates to the blank page and waits until it's there: until then, the old page is still alive. */
async function goToBlank(tab: Tab): Promise<void> {
  const { promise: navigated, resolve } = Promise.withResolvers<void>();
  const stop = tab.on('Page.frameNavigated', ({ frame }) => {
    if (frame.id === tab.frameId && frame.url === 'about:blank') resolve();
  });
  try {
    await tab.send('Page.navigate', { url: 'about:blank' });
    await navigated;
  } finally {
    stop();
  }
}
