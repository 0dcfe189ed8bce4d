import type { LiveTab } from '../../../contract/sessions/live-view.ts';
import type { TabInfo } from '../chrome/tabs.ts';
import type { Viewer } from './viewer.ts';

/** Characters of a title and a URL that are listed, and of all URLs and of all icons: pages decide how many tabs there are. */
const most = { title: 300, url: 8_000, all: 128 * 1024 };

/** Returns tabs as viewers show them. Those of many have shorter URLs, and no large icons where all are too large together. */
export function listedTabs(tabs: readonly TabInfo[], iconOf: (targetId: string) => string | undefined): LiveTab[] {
  const share = Math.floor(most.all / tabs.length);
  const icons = tabs.map(({ targetId }) => iconOf(targetId) ?? '');
  const longest = icons.reduce((sum, { length }) => sum + length, 0) > most.all ? share : Infinity;
  return tabs.map(({ targetId, title, url }, at) => {
    const icon = icons[at];
    return {
      id: targetId,
      title: title.slice(0, Math.min(most.title, share)),
      url: url.slice(0, Math.min(most.url, share)),
      ...(icon && icon.length <= longest && { icon }),
    };
  });
}

type ViewerTabs = Pick<Viewer, 'chosen' | 'shown'>;

/** Determines which tab each viewer sees: the one that it selected, otherwise the newest, as in a browser that opens tabs in the foreground. */
export class ShownTabs {
  #tabs: readonly TabInfo[];

  constructor(tabs: readonly TabInfo[]) {
    this.#tabs = tabs;
  }

  /** Updates the list of tabs. A viewer who sees the opener of a new tab switches to the new tab. */
  update(tabs: readonly TabInfo[], viewers: Iterable<ViewerTabs>): void {
    const previous = new Set(this.#tabs.map(({ targetId }) => targetId));
    const opened = tabs.filter(({ targetId }) => !previous.has(targetId));
    const current = new Set(tabs.map(({ targetId }) => targetId));
    this.#tabs = tabs;
    for (const viewer of viewers) {
      if (viewer.chosen === undefined) continue;
      const follows = opened.some(({ openerId }) => openerId !== undefined && openerId === viewer.shown);
      if (follows || !current.has(viewer.chosen)) viewer.chosen = undefined;
    }
  }

  /** Returns the target ID of the tab that a viewer sees. */
  of({ chosen }: ViewerTabs): string | undefined {
    if (chosen !== undefined && this.#tabs.some(({ targetId }) => targetId === chosen)) return chosen;
    return this.#tabs.at(-1)?.targetId;
  }
}
