import type * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { Monitor, MonitorCheck } from '../../contract/monitors.ts';
import type { Target } from '../connection/target.ts';
import { serverTime } from '../ui/text/text.ts';
import { differing, isEnded } from './watch-texts.ts';

/** What a watch found that was not told yet. */
export interface News {
  watchId: string;
  name: string;
  /** The newest check that found something. */
  check: MonitorCheck;
}

/** For each target, the watches whose changes are told in VS Code, and until which check they were, in milliseconds since 1970. */
type Told = Record<string, Record<string, number>>;

const key = 'watches.told';
/** Checks that are looked through for what was missed. */
const mostChecks = 20;
const mostPages = 100;

/** The watches whose changes are told by a notice. All windows share them, so that each change is told once. */
export class WatchNotices {
  #state: vscode.Memento;
  #target: () => Target;

  constructor(state: vscode.Memento, target: () => Target) {
    this.#state = state;
    this.#target = target;
  }

  /** Whether any watch of the target has notices. */
  get any(): boolean {
    return Object.keys(this.#told).length > 0;
  }

  has(watchId: string): boolean {
    return Object.hasOwn(this.#told, watchId);
  }

  /** Turns the notices of a watch on or off. What a check found that began by `since` isn't told. */
  async set(watchId: string, on: boolean, since: number): Promise<void> {
    const { [watchId]: before, ...others } = this.#told;
    await this.#store(on ? { ...others, [watchId]: before ?? since } : others);
  }

  /**
   * Returns what watches found since the last time. `told` stores that it was told; without notices, nothing is read.
   * @param monitors all that the target lists: others are forgotten
   */
  async read(client: Client, monitors: readonly Monitor[]): Promise<{ news: News[]; told(): Promise<void> }> {
    const before = this.#told;
    const after: Record<string, number> = {};
    const news: News[] = [];
    for (const monitor of monitors) {
      const since = before[monitor.id];
      if (since === undefined) continue;
      const last = serverTime(monitor.lastRunAt);
      after[monitor.id] = since;
      if (last === undefined || last <= since || monitor.currentCheckId) continue;
      const check = await this.#newest(client, monitor, since);
      if (check) news.push({ watchId: monitor.id, name: monitor.name, check });
      after[monitor.id] = last;
    }
    const changed = JSON.stringify(after) !== JSON.stringify(before);
    return { news, told: async () => (changed ? await this.#store(after) : undefined) };
  }

  async #newest(client: Client, { id, goal }: Monitor, since: number): Promise<MonitorCheck | undefined> {
    const request = { params: { monitorId: id }, query: { limit: mostChecks } };
    const { data } = await client.listMonitorChecks(request, { retries: 0 });
    for (const check of data) {
      if ((serverTime(check.createdAt) ?? 0) <= since) return undefined;
      if (!isEnded(check) || differing(check.summary) === 0) continue;
      if (!goal || (await hasMeaning(client, check))) return check;
    }
    return undefined;
  }

  get #told(): Readonly<Record<string, number>> {
    return this.#state.get<Told>(key)?.[nameOf(this.#target())] ?? {};
  }

  async #store(told: Record<string, number>): Promise<void> {
    const { [nameOf(this.#target())]: _before, ...others } = this.#state.get<Told>(key) ?? {};
    const all = Object.keys(told).length > 0 ? { ...others, [nameOf(this.#target())]: told } : others;
    await this.#state.update(key, Object.keys(all).length > 0 ? all : undefined);
  }
}

/** Whether a check has a change that isn't judged to be without meaning. */
async function hasMeaning(client: Client, { id, monitorId, summary }: MonitorCheck): Promise<boolean> {
  for (const status of ['changed', 'new', 'removed'] as const) {
    if (summary[status] === 0) continue;
    const request = { params: { monitorId, checkId: id }, query: { status, limit: mostPages } };
    const { data } = await client.getMonitorCheck(request, { retries: 0 });
    if (data.next || data.pages.some(({ judgment }) => judgment?.meaningful !== false)) return true;
  }
  return false;
}

function nameOf(target: Target): string {
  return target.kind === 'embedded' ? 'embedded' : target.origin;
}
