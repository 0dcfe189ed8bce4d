import type { Client } from '../../client/client.ts';
import type { ActiveCrawl } from '../../contract/crawl.ts';
import type { Access } from '../connection/connection.ts';
import { failureStatus } from '../connection/failures.ts';
import { ServerPoll, type ServerPollOptions } from '../connection/polling/polling.ts';
import type { RefreshPolicy } from '../connection/polling/refresh-policy.ts';
import type { Disposable } from '../ui/lifecycle.ts';
import { type CrawlStateResult, CrawlsStore } from './crawls-store.ts';

/** How long a crawl started by this window is polled, even while the view is hidden. */
const followMs = 10 * 60_000;
const busyPollMs = 3_000;
const idlePollMs = 15_000;
/** Crawls whose status is read per poll, and how many at a time. */
const maxPerPoll = 20;
const concurrency = 4;

/** Polls the active crawls and their progress. */
export class ActiveCrawls implements Disposable {
  readonly store: CrawlsStore;
  #poll: ServerPoll;

  constructor(
    options: Pick<ServerPollOptions, 'connection' | 'trust' | 'log' | 'mayPoll' | 'showProgress' | 'now' | 'after'>,
  ) {
    this.store = new CrawlsStore(options.now);
    this.#poll = new ServerPoll({
      ...options,
      name: 'Active crawls',
      store: this.store,
      read: (access) => this.#read(access),
      pollMs: () => (this.store.active.length > 0 ? busyPollMs : idlePollMs),
    });
  }

  get policy(): RefreshPolicy {
    return this.#poll.policy;
  }

  /** Adds a crawl started by this window, and polls it even while the view is hidden. */
  async started(id: string, url: string, options: Readonly<Record<string, unknown>>): Promise<void> {
    const { optionLines } = await import('./option-lines.ts');
    this.store.addStarted(id, url, optionLines(options));
    this.policy.watch(followMs);
    this.policy.request('started');
  }

  /** Marks a crawl cancelled by this window. */
  cancelled(id: string): void {
    this.store.markCancelled(id);
    this.policy.request('changed');
  }

  dispose(): void {
    this.#poll.dispose();
  }

  async #read({ client }: Access): Promise<() => void> {
    const { optionLines } = await import('./option-lines.ts');
    const { crawls } = await client.listActiveCrawls({}, { retries: 0 });
    const known = this.store.active.map(({ id }) => id);
    const listed = crawls.map((crawl) => ({
      ...crawl,
      ...(crawl.options && { optionLines: optionLines(crawl.options) }),
    }));
    const states = await this.#states(client, idsToPoll(crawls, known));
    return () => this.store.setList(listed, states);
  }

  /** Reads the status of each crawl. Crawls whose status can't be read are left out; a 429 stops the poll. */
  async #states(client: Client, ids: readonly string[]): Promise<Map<string, CrawlStateResult>> {
    const states = new Map<string, CrawlStateResult>();
    const remaining = [...ids];
    const readNext = async (): Promise<void> => {
      for (let id = remaining.shift(); id !== undefined; id = remaining.shift()) {
        try {
          states.set(id, await client.getCrawl({ params: { jobId: id }, query: { limit: 1 } }, { retries: 0 }));
        } catch (error) {
          const status = failureStatus(error);
          if (status === 404) states.set(id, 'gone');
          if (status !== 429) continue;
          // The list itself was read: rows stay, and their progress waits for the limit.
          this.#poll.noteLimit(error);
          remaining.length = 0;
        }
      }
    };
    await Promise.all(Array.from({ length: concurrency }, readNext));
    return states;
  }
}

/** Crawls that are no longer listed come first, since they may have ended. */
function idsToPoll(listed: readonly ActiveCrawl[], known: readonly string[]): string[] {
  const ids = listed.flatMap(({ id }) => (id ? [id] : []));
  const isListed = new Set(ids);
  return [...known.filter((id) => !isListed.has(id)), ...isListed].slice(0, maxPerPoll);
}
