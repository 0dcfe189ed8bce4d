import type { ActivityEndpoint } from '../../contract/team/team.ts';
import type { Access } from '../connection/connection.ts';
import { ServerPoll, type ServerPollOptions } from '../connection/polling/polling.ts';
import { views } from '../ui/ids.ts';
import { type ActivityPage, ActivityStore } from './activity-store.ts';
import { detailsOf } from './requests.ts';

const pollMs = 15_000;
/** While a crawl or batch in the list is running. */
const busyPollMs = 3_000;
/** Crawls and batches whose status is read per poll. */
const maxJobsPerPoll = 20;
const newestCount = 50;
const olderCount = 100;
/** Pages read to close the gap to the loaded entries; if they don't, the list is replaced. */
const maxNewestPages = 4;

type Options = Pick<ServerPollOptions, 'connection' | 'log' | 'now' | 'after'>;

/** Loads the activity of the last 24 hours: polls for the newest, and loads older pages on request. */
export class RecentActivity extends ServerPoll<ActivityStore> {
  #options: Options;
  #loading: Promise<void> | undefined;

  constructor(options: Options) {
    const store = new ActivityStore(options.now);
    super({
      ...options,
      name: 'Activity',
      viewId: views.activity,
      store,
      read: (access) => this.#readNewest(access),
      pollMs: () => (store.hasRunningJobs ? busyPollMs : pollMs),
    });
    this.#options = options;
  }

  /** Shows one kind of request, or all. */
  filter(endpoint: ActivityEndpoint | undefined): void {
    this.store.setFilter(endpoint);
    this.policy.request('command');
  }

  /** Loads the next page. Concurrent calls share one load. */
  async loadMore(): Promise<void> {
    this.#loading ??= this.#loadMore().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  async #loadMore(): Promise<void> {
    const { paging } = this.store;
    if (paging.kind !== 'more') return;
    const { cursor } = paging;
    const loading = this.#readOlder(cursor);
    this.showProgress(loading);
    await loading;
  }

  async #readOlder(cursor: string): Promise<void> {
    try {
      const access = await this.#options.connection.existingAccess();
      if (!access) return;
      const query = { ...this.#query(), limit: olderCount, cursor };
      const page = await access.client.listActivity({ query }, { retries: 0 });
      this.store.addOlder(cursor, page);
      void this.#readJobs(access);
    } catch (error) {
      this.failed(error);
    }
  }

  async #readNewest(access: Access): Promise<() => void> {
    const { client } = access;
    const { filter } = this.store;
    const pages: ActivityPage[] = [];
    let cursor: string | undefined;
    do {
      const query = { ...this.#query(), limit: newestCount, ...(cursor && { cursor }) };
      const page = await client.listActivity({ query }, { retries: 0 });
      pages.push(page);
      const more = page.has_more !== false && page.cursor && page.cursor !== cursor;
      cursor = more ? (page.cursor ?? undefined) : undefined;
      if (this.store.entries.length === 0 || this.store.overlapsWith(page)) break;
    } while (cursor && pages.length < maxNewestPages);
    return () => {
      if (this.store.filter !== filter) return;
      this.store.setNewest(pages);
      // The rows are shown before the status of their jobs is known.
      void this.#readJobs(access);
    };
  }

  /** Reads the status of crawls and batches in the list. Never rejects. */
  async #readJobs({ client, target }: Access): Promise<void> {
    const jobs = this.store.jobsToRead(maxJobsPerPoll);
    if (jobs.length === 0) return;
    const { readJobStates } = await import('../connection/polling/job-states.ts');
    const states = await readJobStates(client, jobs, this.#options.connection.rateLimit);
    if (this.#options.connection.target !== target) return;
    this.store.setJobs(new Map([...states].map(([id, state]) => [id, detailsOf(state)])));
  }

  #query(): { endpoint?: ActivityEndpoint } {
    const { filter } = this.store;
    return filter === undefined ? {} : { endpoint: filter as ActivityEndpoint };
  }
}
