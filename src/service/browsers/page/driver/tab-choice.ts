import type { DrivenBrowser, DrivenState, driveTab } from './driven-tab.ts';
import { PageProblem } from './element.ts';
import { plain } from './plain.ts';

/** A tab, by its number from 1. */
export interface OpenTab {
  number: number;
  title: string;
  url: string;
  isCurrent: boolean;
}

/**
 * Chooses the tab that is acted in, by its number.
 * @param check throws once nothing may act on the page any more
 */
export function tabChoice(
  { client, tabs }: DrivenBrowser,
  driven: Awaited<ReturnType<typeof driveTab>>,
  state: DrivenState,
  check: () => void,
) {
  function tabAt(number: number) {
    const open = tabs.list();
    const found = open[number - 1];
    if (!found) throw new PageProblem(`There is no tab ${number}: ${open.length} are open.`);
    return found;
  }

  return {
    /** The open tabs, oldest first. */
    async tabs(): Promise<OpenTab[]> {
      await tabs.refresh();
      return tabs.list().map(({ targetId, title, url }, index) => ({
        number: index + 1,
        title: plain(title),
        url: plain(url),
        isCurrent: targetId === driven.current.targetId,
      }));
    },
    /** Opens a blank tab and acts in it from now on. */
    async openTab(): Promise<void> {
      check();
      const { targetId } = await client.send('Target.createTarget', { url: 'about:blank' });
      state.tab = targetId;
      await driven.switchTo(targetId);
    },
    /** Acts in another tab from now on. Throws a PageProblem if there is no such tab. */
    async selectTab(number: number): Promise<void> {
      const { targetId } = tabAt(number);
      state.tab = targetId;
      if (targetId !== driven.current.targetId) await driven.switchTo(targetId);
      check();
      await client.send('Target.activateTarget', { targetId });
    },
    /** Closes a tab; the newest that is left takes the place of the one that is acted in. */
    async closeTab(number: number): Promise<void> {
      const { targetId } = tabAt(number);
      const others = tabs.list().filter((tab) => tab.targetId !== targetId);
      const next = others.at(-1);
      if (!next) throw new PageProblem('The last tab stays open. Close the session instead.');
      if (targetId === driven.current.targetId) {
        await driven.switchTo(next.targetId);
        state.tab = undefined;
      }
      check();
      await client.send('Target.closeTarget', { targetId });
    },
  };
}
