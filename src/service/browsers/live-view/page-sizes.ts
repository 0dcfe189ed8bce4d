import type { Clock } from '../../platform/clock.ts';
import type { Relay } from '../chrome/relay/relay.ts';
import type { WatchedTab } from './live-tab.ts';
import type { Size, Viewer } from './viewer.ts';

/** How long a page keeps its size after a viewer has left: one that takes control connects again. */
const afterLeavingMs = 500;
/** How long a page keeps its size for a viewer that has just connected and hasn't said yet which one it wants. */
const afterConnectingMs = 5_000;

export interface PageSizesOptions {
  clock: Clock;
  viewports: Relay['viewports'];
  viewers: ReadonlySet<Viewer>;
  tabs(): Iterable<WatchedTab>;
}

/** Gives pages the size that code has set, or else that a viewer wants, or else their own. */
export function createPageSizes({ clock, viewports, viewers, tabs }: PageSizesOptions) {
  /** Until when pages keep their size, also if nobody wants one. */
  let keptUntil = Number.NEGATIVE_INFINITY;

  function sizeTab(tab: WatchedTab): void {
    if (viewports.isSet(tab.targetId)) return tab.fit('code');
    const size = pageSize(viewers, tab.targetId);
    if (size === undefined && clock.monotonic() < keptUntil) return;
    tab.fit(size ?? null);
  }

  function sizeAll(): void {
    for (const tab of tabs()) sizeTab(tab);
  }

  function keep(ms: number): void {
    keptUntil = Math.max(keptUntil, clock.monotonic() + ms);
    clock.after(ms, sizeAll);
  }

  return {
    sizeTab,
    sizeAll,
    onConnected: () => keep(afterConnectingMs),
    onLeft: () => keep(afterLeavingMs),
    /** A viewer has said which size it wants. */
    onWanted(): void {
      keptUntil = Number.NEGATIVE_INFINITY;
      sizeAll();
    },
  };
}

/** Returns the size of a tab's page: that of the viewer in control, or else of the first that wants one; null is the page's own, undefined if nobody wants any. */
export function pageSize(
  viewers: Iterable<Pick<Viewer, 'control' | 'shown' | 'viewport'>>,
  targetId: string,
): Size | null | undefined {
  const wanting = [...viewers].filter(({ shown, viewport }) => shown === targetId && viewport !== undefined);
  return (wanting.find(({ control }) => control) ?? wanting[0])?.viewport;
}
