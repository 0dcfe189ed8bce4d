import { getOrAdd } from '../../platform/maps.ts';
import { type CdpClient, connectCdpClient } from '../chrome/cdp-client.ts';
import { Icons } from './icons.ts';
import { type TabEvents, WatchedTab, type WatchedTabOptions } from './live-tab.ts';
import type { LiveViewOptions } from './live-view.ts';

export interface WatchedBrowserOptions
  extends TabEvents,
    Pick<LiveViewOptions, 'relay' | 'tabs' | 'fetch'>,
    Pick<WatchedTabOptions, 'after'> {
  /** Whether JavaScript dialogs currently go to viewers only. */
  claimsDialogs(): boolean;
}

/** The live view's own connection to a session's browser, opened for the first viewer, and its watched tabs. */
export class WatchedBrowser {
  readonly client: CdpClient;
  readonly mac: boolean;
  #options: WatchedBrowserOptions;
  #icons: Icons;
  #watched = new Map<string, WatchedTab>();
  #seq = 0;

  private constructor(options: WatchedBrowserOptions, client: CdpClient, mac: boolean) {
    this.#options = options;
    this.client = client;
    this.mac = mac;
    this.#icons = new Icons(options.fetch);
  }

  static async open(options: WatchedBrowserOptions): Promise<WatchedBrowser> {
    const client = await connectCdpClient(options.relay, { claimsDialogs: options.claimsDialogs, fitsPages: true });
    const { userAgent } = await client.send('Browser.getVersion');
    return new WatchedBrowser(options, client, /Mac OS X/.test(userAgent));
  }

  get tabs(): IterableIterator<WatchedTab> {
    return this.#watched.values();
  }

  /** Returns the tab with this target ID, if attached. */
  known(targetId: string): WatchedTab | undefined {
    return this.#watched.get(targetId);
  }

  /** Returns the tab with this target ID, attaching to it if needed. */
  tab(targetId: string): WatchedTab {
    const { tabs } = this.#options;
    const attach = () =>
      new WatchedTab({
        ...this.#options,
        client: this.client,
        icons: this.#icons,
        targetId,
        mac: this.mac,
        nextSeq: () => {
          this.#seq = (this.#seq + 1) % 0x1_0000_0000;
          return this.#seq;
        },
        url: () => tabs.list().find((each) => each.targetId === targetId)?.url ?? '',
      });
    return getOrAdd(this.#watched, targetId, attach);
  }

  /** Closes all tabs except these. */
  keepOnly(targetIds: ReadonlySet<string>): void {
    for (const [targetId, tab] of this.#watched) {
      if (targetIds.has(targetId)) continue;
      tab.close();
      this.#watched.delete(targetId);
    }
  }

  close(): void {
    for (const tab of this.#watched.values()) tab.close();
    this.#watched.clear();
    this.#icons.close();
    this.client.close();
  }
}
