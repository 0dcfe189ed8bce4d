import type { CdpClient } from './cdp-client.ts';

/** What a person calls a tab. */
export interface Tab {
  targetId: string;
  url: string;
  title: string;
}

/** The tabs of a browser as they come, go and change, oldest first. */
export interface Tabs {
  list(): Tab[];
  /** Calls back after every difference. */
  onChange(listener: () => void): void;
  /** Opens a first tab where there is none, so that every client finds the same page. */
  ensureOne(): Promise<void>;
}

interface TargetInfo {
  targetId: string;
  type: string;
  url: string;
  title: string;
}

/** Follows the tabs of a browser. */
export async function followTabs(client: CdpClient): Promise<Tabs> {
  const listeners: (() => void)[] = [];
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const tabs = new Map<string, Tab>();
  const put = (params: Record<string, unknown>) => {
    const info = params.targetInfo as TargetInfo;
    if (info.type !== 'page') return;
    const known = tabs.get(info.targetId);
    if (known && known.url === info.url && known.title === info.title) return;
    tabs.set(info.targetId, { targetId: info.targetId, url: info.url, title: info.title });
    changed();
  };
  client.on('Target.targetCreated', put);
  client.on('Target.targetInfoChanged', put);
  client.on('Target.targetDestroyed', (params) => {
    if (tabs.delete(String(params.targetId))) changed();
  });
  await client.send('Target.setDiscoverTargets', { discover: true });
  return {
    list: () => [...tabs.values()],
    onChange: (listener) => void listeners.push(listener),
    async ensureOne() {
      if (tabs.size === 0) await client.send('Target.createTarget', { url: 'about:blank' });
    },
  };
}
