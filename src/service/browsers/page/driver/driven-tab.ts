import { messageOf } from '../../../platform/errors.ts';
import type { CdpClient } from '../../chrome/cdp-client.ts';
import type { TabInfo, Tabs } from '../../chrome/tabs.ts';
import {
  type Deadline,
  delay,
  documentLoaded,
  maxLoadMs,
  type Quietness,
  type SettleTiming,
  settle,
  watchQuietness,
} from '../settle.ts';
import { attachTab, type DialogAnswer, detachTab, type Tab } from '../tab.ts';
import { PageProblem } from './element.ts';
import { type FrameProcesses, followProcesses } from './frames.ts';

/** The part of a session's browser that is driven. */
export interface DrivenBrowser {
  readonly client: CdpClient;
  readonly tabs: Tabs;
}

/** What lasts from one driver of a browser to the next. */
export interface DrivenState {
  /** Target ID of the tab that was chosen; by default, the newest is acted in. */
  tab?: string | undefined;
  dialogs?: DialogAnswer | undefined;
}

/** A tab that is attached to. */
export interface Attached {
  readonly targetId: string;
  readonly tab: Tab;
  readonly processes: FrameProcesses;
  readonly quietness: Quietness;
}

/** A person may be watching: what follows an action is awaited, and not everything that the page still does. */
const brisk: SettleTiming = { start: 50, quiet: 50 };
/** How often to look whether a tab that was opened has its page, in milliseconds. */
const openMs = 20;

/**
 * Attaches to the newest tab of a browser, or to the chosen one. The tab that is acted in changes as the page opens others, or
 * as a caller chooses.
 * @param onAttached called with each tab before it is acted in
 */
export async function driveTab(
  { client, tabs }: DrivenBrowser,
  state: DrivenState,
  deadline: Deadline,
  onAttached: (attached: Attached) => void,
) {
  let isClosed = false;
  /** Tabs that were open before the last action: the page hasn't opened them with it. */
  let known = idsOf(tabs.list());
  let current = await attachToNewest();

  async function attach(targetId: string): Promise<Attached> {
    const dialogs = () => state.dialogs ?? { accept: true };
    const tab = await attachTab(client, targetId, { close: async () => undefined, dialogs });
    const attached = { targetId, tab, processes: followProcesses(tab), quietness: watchQuietness(tab, brisk) };
    onAttached(attached);
    return attached;
  }

  /** One that has just been closed may still be listed: the next newest is taken then. */
  async function attachToNewest(): Promise<Attached> {
    const gone = new Set<string>();
    for (;;) {
      await tabs.ensureOne();
      deadline.check();
      const open = tabs.list().filter(({ targetId }) => !gone.has(targetId));
      const chosen = open.find((tab) => tab.targetId === state.tab);
      if (!chosen) state.tab = undefined;
      const newest = chosen ?? open.findLast(({ url }) => url !== '') ?? open.at(-1);
      if (!newest) throw new PageProblem('The browser has no open tab. Open a page first.');
      try {
        return await attach(newest.targetId);
      } catch (error) {
        if (!/(No target|Session) with given id/.test(messageOf(error))) throw error;
        gone.add(newest.targetId);
      }
    }
  }

  async function switchTo(targetId: string): Promise<void> {
    const before = current;
    const next = await attach(targetId);
    if (isClosed) return await detach(next);
    known = idsOf(tabs.list());
    current = next;
    await detach(before);
  }

  async function follow(): Promise<void> {
    const open = tabs.list();
    const newest = open.findLast(({ url }) => url !== '');
    const isChosen = state.tab === current.targetId && open.some(({ targetId }) => targetId === state.tab);
    if (!newest || newest.targetId === current.targetId || (isChosen && known.has(newest.targetId))) return;
    state.tab = undefined;
    await switchTo(newest.targetId);
  }

  let awaited = '';

  /** Waits for the first answer to a tab that the last action has opened: until then, it has no URL. */
  async function opened(): Promise<void> {
    const newest = tabs.list().at(-1)?.targetId ?? '';
    if (known.has(newest) || newest === awaited) return;
    awaited = newest;
    for (const end = performance.now() + maxLoadMs; performance.now() < end; await delay(openMs, deadline)) {
      const tab = tabs.list().at(-1);
      if (tab?.targetId !== newest || tab.url !== '') return;
    }
  }

  return {
    get current(): Attached {
      return current;
    },
    /** Acts in another tab from now on. */
    switchTo,
    /** Follows the page to a tab that it opened. */
    follow,
    /** Waits for what follows an action, also in a tab that it opened. */
    async settle(): Promise<void> {
      await settle(current.quietness, deadline);
      const before = current;
      await opened();
      await follow();
      if (current === before) return;
      await documentLoaded(current.tab, deadline);
      await settle(current.quietness, deadline);
    },
    /** Lets go of the tab: what is still under way can no longer act on it. */
    async close(): Promise<void> {
      isClosed = true;
      await detach(current);
    },
  };
}

const idsOf = (tabs: TabInfo[]) => new Set(tabs.map(({ targetId }) => targetId));

async function detach({ tab, processes, quietness }: Attached): Promise<void> {
  quietness.stop();
  processes.stop();
  await detachTab(tab);
}
