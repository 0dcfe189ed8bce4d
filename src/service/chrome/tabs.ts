import type { CdpClient } from './cdp-client.ts';

/** What a person calls a tab. */
export interface TabInfo {
  targetId: string;
  url: string;
  title: string;
  /** The tab that opened it, where a page did. */
  openerId?: string;
}

/** The tabs of a browser as they come, go and change, oldest first. */
export interface Tabs {
  list(): TabInfo[];
  /** Calls back after every difference. */
  onChange(listener: () => void): void;
  /** Reads titles anew: Chrome does not tell when a page changes its own. */
  refresh(): Promise<void>;
  /** Opens a first tab where there is none, so that every client finds the same page. */
  ensureOne(): Promise<void>;
}

interface TargetInfo {
  targetId: string;
  type: string;
  url: string;
  title: string;
  openerId?: string;
}

/** Follows the tabs of a browser. */
export async function followTabs(client: CdpClient): Promise<Tabs> {
  const listeners: (() => void)[] = [];
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const tabs = new Map<string, TabInfo>();
  const put = (info: TargetInfo) => {
    if (info.type !== 'page') return;
    const known = tabs.get(info.targetId);
    if (known && known.url === info.url && known.title === info.title) return;
    const { targetId, url, title, openerId } = info;
    tabs.set(targetId, { targetId, url, title, ...(openerId && { openerId }) });
    changed();
  };
  for (const event of ['Target.targetCreated', 'Target.targetInfoChanged'])
    client.on(event, ({ targetInfo }) => put(targetInfo as TargetInfo));
  client.on('Target.targetDestroyed', (params) => {
    if (tabs.delete(String(params.targetId))) changed();
  });
  await client.send('Target.setDiscoverTargets', { discover: true });
  return {
    list: () => [...tabs.values()],
    onChange: (listener) => void listeners.push(listener),
    async refresh() {
      const { targetInfos } = await client.send('Target.getTargets');
      for (const info of targetInfos as TargetInfo[]) if (tabs.has(info.targetId)) put(info);
    },
    async ensureOne() {
      if (tabs.size === 0) await client.send('Target.createTarget', { url: 'about:blank' });
    },
  };
}
