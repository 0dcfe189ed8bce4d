import type { Client } from '../../client/client.ts';
import { limits } from '../../contract/limits.ts';
import type { MonitorCheck, MonitorCheckPage } from '../../contract/monitors.ts';
import { keepNewest } from '../ui/lifecycle.ts';
import { isEnded } from './watch-texts.ts';
import type { Watch } from './watches-store.ts';

/** The statuses of pages that are listed, in their order. */
const listed = ['changed', 'new', 'removed', 'error'] as const;
const atATime = limits.monitors.page.max;
/** Checks and watches that are remembered. */
const mostKept = 50;

/** Reads the checks of watches and their pages, and remembers what can't change. */
export class CheckReader {
  #client: () => Promise<Client>;
  #checks = new Map<string, { checks: MonitorCheck[]; more: boolean }>();
  #pages = new Map<string, { pages: MonitorCheckPage[]; more: boolean }>();

  constructor(client: () => Promise<Client>) {
    this.#client = client;
  }

  /** Returns the newest checks of a watch. Rejects with a ClientError. */
  async checks(watch: Watch, count: number): Promise<{ checks: MonitorCheck[]; more: boolean }> {
    const key = `${watch.id} ${watch.lastRunAt} ${count}`;
    const known = watch.checking ? undefined : this.#checks.get(key);
    if (known) return known;
    const client = await this.#client();
    const checks: MonitorCheck[] = [];
    let more = true;
    while (more && checks.length < count) {
      const limit = Math.min(atATime, count - checks.length);
      const query = { limit, offset: checks.length };
      const { data } = await client.listMonitorChecks({ params: { monitorId: watch.id }, query }, { retries: 0 });
      checks.push(...data);
      more = data.length === limit;
    }
    if (checks.every(isEnded)) this.#checks.set(key, { checks, more });
    keepNewest(this.#checks, mostKept);
    return { checks, more };
  }

  /** Returns the pages of a check that differ or failed. Rejects with a ClientError. */
  async pages(check: MonitorCheck, count: number): Promise<{ pages: MonitorCheckPage[]; more: boolean }> {
    const key = `${check.id} ${count}`;
    const known = this.#pages.get(key);
    if (known) return known;
    const client = await this.#client();
    const params = { monitorId: check.monitorId, checkId: check.id };
    const pages: MonitorCheckPage[] = [];
    for (const status of listed) {
      for (let skip = 0; skip < check.summary[status] && pages.length < count; ) {
        const limit = Math.min(atATime, count - pages.length);
        const { data } = await client.getMonitorCheck({ params, query: { status, limit, skip } }, { retries: 0 });
        if (data.pages.length === 0) break;
        pages.push(...data.pages);
        skip += data.pages.length;
      }
    }
    const more = pages.length < listed.reduce((sum, status) => sum + check.summary[status], 0);
    if (isEnded(check)) this.#pages.set(key, { pages, more });
    keepNewest(this.#pages, mostKept);
    return { pages, more };
  }

  /** Forgets what was read, because the target has changed. */
  clear(): void {
    this.#checks.clear();
    this.#pages.clear();
  }
}
