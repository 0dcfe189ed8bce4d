import type { ActiveCrawl } from '../../contract/crawl/crawl.ts';
import type { Access } from '../connection/connection.ts';
import { ServerPoll, type ServerPollOptions } from '../connection/polling/polling.ts';
import type { RefreshPolicy } from '../connection/polling/refresh-policy.ts';
import type { Disposable } from '../ui/lifecycle.ts';
import { CrawlsStore } from './crawls-store.ts';

/** How long a crawl started by this window is polled, even while the view is hidden. */
const followMs = 10 * 60_000;
const busyPollMs = 3_000;
const idlePollMs = 15_000;
/** Crawls whose status is read per poll. */
const maxPerPoll = 20;

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

  /** Marks a crawl canceled by this window. */
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
    // The list itself was read: rows stay, and their progress waits for the limit.
    const jobs = idsToPoll(crawls, known).map((id) => ({ kind: 'crawl' as const, id }));
    const { readJobStates } = await import('../connection/polling/job-states.ts');
    const states = await readJobStates(client, jobs, (error) => this.#poll.noteLimit(error));
    return () => this.store.setList(listed, states);
  }
}

/** Crawls that are no longer listed come first, since they may have ended. */
function idsToPoll(listed: readonly ActiveCrawl[], known: readonly string[]): string[] {
  const ids = listed.flatMap(({ id }) => (id ? [id] : []));
  const isListed = new Set(ids);
  return [...known.filter((id) => !isListed.has(id)), ...isListed].slice(0, maxPerPoll);
}
