import type { Client } from '../../client/client.ts';
import type { ActiveCrawl } from '../../contract/crawl.ts';
import type { Access } from '../connection/connection.ts';
import { failureStatus } from '../connection/failures.ts';
import { ServerPoll, type ServerPollOptions } from '../connection/server-poll.ts';
import type { Disposable } from '../ui/lifecycle.ts';
import type { RefreshPolicy } from '../ui/refresh-policy.ts';
import { type CrawlStateAnswer, CrawlsStore } from './crawls-store.ts';

/** A crawl that this window started is followed this long, whether somebody looks or not. */
const followMs = 10 * 60_000;
const busyPollMs = 3_000;
const idlePollMs = 15_000;
/** Crawls whose progress is asked for in one round, and how many at a time. */
const mostAsked = 20;
const askedAtATime = 4;

/** Reads the active crawls and how far they are. */
export class ActiveCrawls implements Disposable {
  readonly store: CrawlsStore;
  #poll: ServerPoll;

  constructor(options: Pick<ServerPollOptions, 'connection' | 'trust' | 'log' | 'showProgress' | 'now' | 'after'>) {
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

  /** A crawl was started by this window: it is followed even while nobody looks. */
  async started(id: string, url: string, options: Readonly<Record<string, unknown>>): Promise<void> {
    const { optionWords } = await import('./option-lines.ts');
    this.store.addStarted(id, url, optionWords(options));
    this.policy.watch(followMs);
    this.policy.request('started');
  }

  /** A crawl was cancelled by this window. */
  cancelled(id: string): void {
    this.store.markCancelled(id);
    this.policy.request('changed');
  }

  dispose(): void {
    this.#poll.dispose();
  }

  async #read({ client }: Access): Promise<() => void> {
    const { optionWords } = await import('./option-lines.ts');
    const { crawls } = await client.listActiveCrawls({}, { retries: 0 });
    const known = this.store.active.map(({ id }) => id);
    const listed = crawls.map((crawl) => ({
      ...crawl,
      ...(crawl.options && { optionWords: optionWords(crawl.options) }),
    }));
    const states = await this.#states(client, idsToAsk(crawls, known));
    return () => this.store.setList(listed, states);
  }

  /** What the server says of each crawl; those that it says nothing of are left out. A 429 ends the asking. */
  async #states(client: Client, ids: readonly string[]): Promise<Map<string, CrawlStateAnswer>> {
    const states = new Map<string, CrawlStateAnswer>();
    const left = [...ids];
    const ask = async (): Promise<void> => {
      for (let id = left.shift(); id !== undefined; id = left.shift()) {
        try {
          states.set(id, await client.getCrawl({ params: { jobId: id }, query: { limit: 1 } }, { retries: 0 }));
        } catch (error) {
          const status = failureStatus(error);
          if (status === 404) states.set(id, 'gone');
          if (status !== 429) continue;
          // The list itself is good: rows stay, and their progress waits for the limit.
          this.#poll.noteLimit(error);
          left.length = 0;
        }
      }
    };
    await Promise.all(Array.from({ length: askedAtATime }, ask));
    return states;
  }
}

/** Those that are no longer listed come first, since they may be done. */
function idsToAsk(listed: readonly ActiveCrawl[], known: readonly string[]): string[] {
  const ids = listed.flatMap(({ id }) => (id ? [id] : []));
  const isListed = new Set(ids);
  return [...known.filter((id) => !isListed.has(id)), ...isListed].slice(0, mostAsked);
}
