import type { LiveField } from '../../../contract/sessions/live-view.ts';
import { type CdpClient, connectCdpClient } from '../chrome/cdp-client.ts';
import type { Relay } from '../chrome/relay/relay.ts';
import type { Tabs } from '../chrome/tabs.ts';
import type { FileChooser } from './file-chooser.ts';
import { Icons } from './icons.ts';
import { WatchedTab } from './live-tab.ts';

export interface WatchedBrowserOptions {
  relay: Relay;
  tabs: Tabs;
  after(ms: number, callback: () => void): () => void;
  /** Whether JavaScript dialogs currently go to viewers only. */
  claimsDialogs(): boolean;
  onState(tab: WatchedTab): void;
  onLoaded(): void;
  onIcon(tab: WatchedTab): void;
  onDialog(tab: WatchedTab): void;
  onChooser(tab: WatchedTab, chooser: FileChooser): void;
  onField(tab: WatchedTab, field: LiveField): void;
  onNotice(tab: WatchedTab, text: string, open?: string): void;
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
    this.#icons = new Icons(client);
  }

  static async open(options: WatchedBrowserOptions): Promise<WatchedBrowser> {
    const client = await connectCdpClient(options.relay, { claimsDialogs: options.claimsDialogs, fitsPages: true });
    const { userAgent } = await client.send('Browser.getVersion');
    return new WatchedBrowser(options, client, /Mac OS X/.test(String(userAgent)));
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
    const known = this.#watched.get(targetId);
    if (known) return known;
    const { after, tabs, onState, onLoaded, onIcon, onDialog, onChooser, onField, onNotice } = this.#options;
    const tab: WatchedTab = new WatchedTab({
      client: this.client,
      icons: this.#icons,
      targetId,
      mac: this.mac,
      nextSeq: () => {
        this.#seq = (this.#seq + 1) % 0x1_0000_0000;
        return this.#seq;
      },
      after,
      url: () => tabs.list().find((each) => each.targetId === targetId)?.url ?? '',
      onState: () => onState(tab),
      onLoaded,
      onIcon: () => onIcon(tab),
      onDialog: () => onDialog(tab),
      onChooser: (chooser) => onChooser(tab, chooser),
      onField: (field) => onField(tab, field),
      onNotice: (text, open) => onNotice(tab, text, open),
    });
    this.#watched.set(targetId, tab);
    return tab;
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
    this.client.close();
  }
}
