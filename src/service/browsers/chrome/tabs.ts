import type { CdpClient } from './cdp-client.ts';
import type { Protocol } from './protocol.ts';

/** A browser tab. */
export interface TabInfo {
  targetId: string;
  url: string;
  title: string;
  /** Target ID of the tab that opened it, if a page did. */
  openerId?: string;
}

/** The tabs of a browser, kept up to date. */
export type Tabs = Awaited<ReturnType<typeof followTabs>>;

/** Starts tracking the tabs of a browser. */
export async function followTabs(client: CdpClient) {
  const listeners: (() => void)[] = [];
  const notify = () => {
    for (const listener of listeners) listener();
  };
  const tabs = new Map<string, TabInfo>();
  const put = (info: Protocol.Target.TargetInfo) => {
    if (info.type !== 'page') return;
    const known = tabs.get(info.targetId);
    if (known && known.url === info.url && known.title === info.title) return;
    const { targetId, url, title, openerId } = info;
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
    /** Adds a listener for every change. */
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
