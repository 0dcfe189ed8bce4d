import type { TabInfo } from '../chrome/tabs.ts';

/** What is known of a viewer when its tab is chosen. */
interface Looking {
  chosen: string | undefined;
  shown: string | undefined;
}

/** Which tab each viewer sees: the one that it chose, else the newest, as in a browser whose tabs open in front. */
export class ShownTabs {
  #tabs: readonly TabInfo[];

  constructor(tabs: readonly TabInfo[]) {
    this.#tabs = tabs;
  }

  /** Tabs came or went. A viewer who looks at the opener of a new tab goes with it. */
  update(tabs: readonly TabInfo[], viewers: Iterable<Looking>): void {
    const before = new Set(this.#tabs.map(({ targetId }) => targetId));
    const opened = tabs.filter(({ targetId }) => !before.has(targetId));
    const there = new Set(tabs.map(({ targetId }) => targetId));
    this.#tabs = tabs;
    for (const viewer of viewers) {
      if (viewer.chosen === undefined) continue;
      const follows = opened.some(({ openerId }) => openerId !== undefined && openerId === viewer.shown);
      if (follows || !there.has(viewer.chosen)) viewer.chosen = undefined;
    }
  }

  of({ chosen }: Looking): string | undefined {
    if (chosen !== undefined && this.#tabs.some(({ targetId }) => targetId === chosen)) return chosen;
    return this.#tabs.at(-1)?.targetId;
  }
}
