import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import type { Events, TrafficTab } from '../../../webviews/live-view/messages.ts';
import { failureStatus } from '../../connection/failures.ts';
import { callLater } from '../../ui/lifecycle.ts';
import { messageOf } from '../../ui/text/text.ts';

const pollMs = 1_000;
const maxWaitMs = 30_000;

export interface FeedOptions {
  client(): Promise<Pick<Client, 'listConsole' | 'listNetwork'> | undefined>;
  sessionId(): string;
  /** Whether the session has ended, so that nothing more comes. */
  ended(): boolean;
  visible(): boolean;
  show(entries: Events['traffic']): void;
  showState(text: string): void;
  /** Calls a function after some milliseconds; returns how to cancel that. */
  after?(ms: number, call: () => void): () => void;
}

/** Reads the console or the network of a session, while one of them is shown. */
export class TrafficFeed {
  #options: FeedOptions;
  #tab: TrafficTab | null = null;
  #session = '';
  /** What is being read; undefined if nothing is. */
  #shown: string | undefined;
  #since: string | null | undefined;
  #cursors: Record<TrafficTab, number> = { console: 0, network: 0 };
  /** Number of the newest reading. The result of an older one is dropped. */
  #reading = 0;
  #cancel: (() => void) | undefined;
  #waitMs = pollMs;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Shows one of the lists, or none. */
  watch(tab: TrafficTab | null): void {
    this.#tab = tab;
    this.update();
  }

  /** Reads at once what is shown now; stops if nothing is. Called when what is shown may have changed. */
  update(): void {
    const shows = this.#tab !== null && this.#options.visible();
    const shown = shows ? `${this.#tab} ${this.#options.sessionId()}` : undefined;
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#reading++;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#waitMs = pollMs;
    if (shows && this.#tab !== null) void this.#read(this.#tab);
  }

  dispose(): void {
    this.watch(null);
  }

  async #read(tab: TrafficTab): Promise<void> {
    const { sessionId, show, showState } = this.#options;
    const reading = this.#reading;
    const id = sessionId();
    if (id !== this.#session) {
      this.#session = id;
      this.#cursors = { console: 0, network: 0 };
      this.#since = undefined;
      show({ fresh: true, lines: [], requests: [] });
      showState('');
    }
    try {
      const found = await this.#list(tab, id);
      if (reading !== this.#reading) return;
      this.#waitMs = pollMs;
      if (found) {
        this.#cursors[tab] = found.cursor;
        const { lines, requests } = found.entries;
        // The first answer says since when they are recorded, even if there are none.
        if (found.recordedSince !== this.#since || lines.length + requests.length > 0)
          show({ fresh: false, ...found.entries, recordedSince: found.recordedSince });
        this.#since = found.recordedSince;
      }
      showState('');
    } catch (error) {
      if (reading !== this.#reading) return;
      const status = failureStatus(error);
      // What was read stays, and nothing more comes.
      if (this.#options.ended() || status === 410) return;
      if (status === 404)
        return showState(l10n.t("This server doesn't record the console and the network of sessions."));
      showState(messageOf(error));
      this.#waitMs = Math.min(maxWaitMs, this.#waitMs * 2);
    }
    const { after = callLater } = this.#options;
    this.#cancel = after(this.#waitMs, () => void this.#read(tab));
  }

  async #list(tab: TrafficTab, sessionId: string) {
    const client = await this.#options.client();
    if (!client) return undefined;
    const request = { params: { sessionId }, query: { since: this.#cursors[tab] } };
    if (tab === 'console') {
      const { entries: lines, cursor, recordedSince } = await client.listConsole(request, { retries: 0 });
      return { cursor, recordedSince, entries: { lines, requests: [] } };
    }
    const { requests, cursor, recordedSince } = await client.listNetwork(request, { retries: 0 });
    return { cursor, recordedSince, entries: { lines: [], requests } };
  }
}
