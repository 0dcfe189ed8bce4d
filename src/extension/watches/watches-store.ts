import type { Monitor, MonitorSummary } from '../../contract/monitors.ts';
import { ServerStore } from '../connection/polling/server-store.ts';
import { serverTime } from '../ui/text/text.ts';

/** A watch as the server last described it. Times are in milliseconds since 1970, undefined if there is none. */
export interface Watch {
  id: string;
  name: string;
  paused: boolean;
  /** True while a check is in progress. */
  checking: boolean;
  cron: string | undefined;
  timezone: string | undefined;
  nextRunAt: number | undefined;
  lastRunAt: number | undefined;
  /** Pages of the last check by status; undefined before the first. */
  summary: MonitorSummary | undefined;
  targets: Monitor['targets'];
  goal: string | undefined;
  /** Where changes are sent. */
  webhookUrl: string | undefined;
}

export type WatchesChange = { kind: 'all' | 'state' } | { kind: 'watch'; id: string };

/** The watches of the team, and whether they are up to date. */
export class WatchesStore extends ServerStore<WatchesChange> {
  protected readonly changes = { all: { kind: 'all' }, state: { kind: 'state' } } as const;
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

function watchOf(monitor: Monitor): Watch {
  const { id, name, status, schedule, currentCheckId, targets, goal, webhook, lastCheckSummary } = monitor;
  return {
    id,
    name,
    targets,
    paused: status === 'paused',
    checking: Boolean(currentCheckId),
    cron: schedule.cron ?? undefined,
    timezone: schedule.timezone ?? undefined,
    nextRunAt: serverTime(monitor.nextRunAt),
    lastRunAt: serverTime(monitor.lastRunAt),
    summary: lastCheckSummary ?? undefined,
    goal: goal ?? undefined,
    webhookUrl: typeof webhook?.url === 'string' ? webhook.url : undefined,
  };
}
