import { limits } from '../../../contract/limits.ts';
import type { CdpClient } from './cdp-client.ts';
import { keptText } from './messages.ts';
import { notifyAll } from './pipe.ts';
import type { Protocol } from './protocol.ts';

/** A browser tab. */
export interface TabInfo {
  targetId: string;
  /** Its start, if it is longer than `limits.url`. */
  url: string;
  title: string;
  /** Target ID of the tab that opened it, if a page did. */
  openerId?: string;
}

/** Characters that are kept of a title. */
const maxTitle = 1000;

/** The tabs of a browser, kept up to date. */
export type Tabs = Awaited<ReturnType<typeof followTabs>>;

/** Starts tracking the tabs of a browser. */
export async function followTabs(client: CdpClient) {
  const listeners: (() => void)[] = [];
  const urlListeners: ((url: string) => void)[] = [];
  let isTelling = false;
  /** A page can change its address thousands of times in a second: what changes together is told together. */
  const notify = () => {
    if (isTelling) return;
    isTelling = true;
    setImmediate(() => {
      isTelling = false;
      notifyAll(listeners, [], client.fault);
    });
  };
  const tabs = new Map<string, TabInfo>();
  const put = (info: Protocol.Target.TargetInfo) => {
    if (info.type !== 'page') return;
    const { targetId, openerId } = info;
    // A URL can have two million characters, and the listeners to changes read those of all tabs.
    const [url, title] = [keptText(String(info.url), limits.url), keptText(String(info.title), maxTitle)];
    const known = tabs.get(targetId);
    if (known && known.url === url && known.title === title) return;
    if (known?.url !== url) notifyAll(urlListeners, [url], client.fault);
    tabs.set(targetId, { targetId, url, title, ...(openerId && { openerId }) });
    notify();
  };
  for (const event of ['Target.targetCreated', 'Target.targetInfoChanged'] as const)
    client.on(event, ({ targetInfo }) => put(targetInfo));
  client.on('Target.targetDestroyed', ({ targetId }) => {
    if (tabs.delete(targetId)) notify();
  });
  await client.send('Target.setDiscoverTargets', { discover: true });
  return {
    /** Current tabs, oldest first. */
    list: (): TabInfo[] => [...tabs.values()],
    /** Adds a listener for every address that a tab has or gets, however briefly. */
    onUrl(listener: (url: string) => void): void {
      urlListeners.push(listener);
      for (const { url } of tabs.values()) listener(url);
    },
    /** Adds a listener for changes. */
    onChange: (listener: () => void): void => void listeners.push(listener),
    /** Reads titles again: Chrome doesn't report when a page changes its title. */
    async refresh(): Promise<void> {
      const { targetInfos } = await client.send('Target.getTargets');
      for (const info of targetInfos) if (tabs.has(info.targetId)) put(info);
    },
    /** Opens a tab if none is open, so that every client finds the same page. */
    async ensureOne(): Promise<void> {
      if (tabs.size === 0) await client.send('Target.createTarget', { url: 'about:blank' });
    },
  };
}
