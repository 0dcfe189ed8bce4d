import type { Client } from '../../client/client.ts';
import { limits } from '../../contract/limits.ts';
import type { Monitor } from '../../contract/monitors.ts';
import type { Access } from '../connection/connection.ts';
import { ServerPoll, type ServerPollOptions } from '../connection/polling/polling.ts';
import { ServerStore } from '../connection/polling/server-store.ts';
import { serverTime } from '../ui/text/text.ts';
import type { News, WatchNotices } from './notices.ts';

/** A watch as the server last described it. Times are in milliseconds since 1970, undefined if there is none. */
export type Watch = ReturnType<typeof watchOf>;

/** The watches of the team, and whether they are up to date. */
export class WatchesStore extends ServerStore<{ kind: 'watch'; id: string }> {
  #watches = new Map<string, Watch>();

  /** Newest first, as the server lists them. */
  get watches(): Watch[] {
    return [...this.#watches.values()];
  }

  find(id: string): Watch | undefined {
    return this.#watches.get(id);
  }

  setList(monitors: readonly Monitor[]): void {
    const before = this.#watches;
    this.#watches = new Map(monitors.map((monitor) => [monitor.id, watchOf(monitor)]));
    this.noteRead();
    const rows = (watches: ReadonlyMap<string, Watch>) => [...watches.keys()].join(' ');
    if (rows(before) !== rows(this.#watches)) return this.onChange.fire({ kind: 'all' });
    for (const [id, watch] of this.#watches) {
      if (JSON.stringify(before.get(id)) !== JSON.stringify(watch)) this.onChange.fire({ kind: 'watch', id });
    }
  }

  protected forget(): void {
    this.#watches = new Map();
  }
}

function watchOf(monitor: Monitor) {
  const { id, name, status, schedule, currentCheckId, targets, goal, webhook, lastCheckSummary } = monitor;
  return {
    id,
    name,
    targets,
    paused: status === 'paused',
    /** True while a check is in progress. */
    checking: Boolean(currentCheckId),
    cron: schedule.cron ?? undefined,
    timezone: schedule.timezone ?? undefined,
    nextRunAt: serverTime(monitor.nextRunAt),
    lastRunAt: serverTime(monitor.lastRunAt),
    /** Pages of the last check by status; undefined before the first. */
    summary: lastCheckSummary ?? undefined,
    goal: goal ?? undefined,
    /** Where changes are sent. */
    webhookUrl: typeof webhook?.url === 'string' ? webhook.url : undefined,
  };
}

/** How often watches are read, in milliseconds: while a check is in progress, and otherwise until the next one is due. */
const pollMs = { checking: 2_000, shortest: 3_000, overdue: 15_000, shown: 60_000, longest: 5 * 60_000 };
/** A check is over a moment after it is due. */
const checkMs = 2_000;

interface Options extends Pick<ServerPollOptions, 'connection' | 'log' | 'now' | 'after'> {
  notices: WatchNotices;
  onNews(news: readonly News[]): void;
}

/** Reads the watches while their rows can be seen, or while some have notices. */
export class PolledWatches extends ServerPoll<WatchesStore> {
  #options: Options;
  #visible = false;

  constructor(options: Options) {
    super({
      ...options,
      name: 'Watches',
      store: new WatchesStore(options.now),
      read: (access) => this.#read(access),
      pollMs: () => this.#pollMs(),
    });
    this.#options = options;
    this.add(options.connection.onDidChange.on(() => this.#follow()));
    this.#follow();
  }

  /** Reads the watches soon, because this window changed one or started a check. */
  changed(): void {
    this.policy.watch(pollMs.overdue);
    this.policy.request('started');
  }

  /** Reads the watches now, if the service runs. Rejects with a ClientError. */
  async readNow(): Promise<void> {
    const access = await this.#options.connection.existingAccess();
    if (!access) return;
    const apply = await this.#read(access);
    apply();
    this.changed();
  }

  setVisible(visible: boolean): void {
    this.#visible = visible;
    this.policy.setVisible(visible);
  }

  /** Starts to read in the background if some watches have notices: nothing is started for it. */
  #follow(): void {
    if (!this.#options.notices.any) return;
    this.policy.watch(2 * pollMs.longest);
    this.policy.request('target');
  }

  async #read({ client }: Access): Promise<() => void> {
    const { notices, onNews, log } = this.#options;
    const monitors = await listAll(client);
    const { news, told } = await notices.read(client, monitors);
    return () => {
      this.store.setList(monitors);
      if (notices.any) this.policy.watch(2 * pollMs.longest);
      if (news.length > 0) onNews(news);
      void told().catch((error: unknown) => log.warn(`Watches: ${String(error)}`));
    };
  }

  #pollMs(): number {
    const { watches } = this.store;
    if (watches.some(({ checking }) => checking)) return pollMs.checking;
    const due = watches.flatMap(({ paused, nextRunAt }) => (paused || nextRunAt === undefined ? [] : [nextRunAt]));
    const wait = Math.min(...due) - this.now();
    // Without a watch, only another window or program can add one.
    if (!Number.isFinite(wait)) return pollMs.longest;
    if (wait < 0) return pollMs.overdue;
    return Math.min(Math.max(wait + checkMs, pollMs.shortest), this.#visible ? pollMs.shown : pollMs.longest);
  }
}

async function listAll(client: Client): Promise<Monitor[]> {
  const { max: limit } = limits.monitors.page;
  const all: Monitor[] = [];
  for (;;) {
    const { data, next } = await client.listMonitors({ query: { limit, offset: all.length } }, { retries: 0 });
    all.push(...data);
    if ((data.length < limit && !next) || all.length >= limits.monitors.count) return all;
  }
}
