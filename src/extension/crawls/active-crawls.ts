import type { Client } from '../../client/client.ts';
import type { ActiveCrawl } from '../../contract/crawl/crawl.ts';
import type { Access } from '../connection/connection.ts';
import { ServerPoll, type ServerPollOptions } from '../connection/polling/polling.ts';
import type { RateLimit } from '../connection/polling/rate-limit.ts';
import { views } from '../ui/ids.ts';
import { serverTime } from '../ui/text/text.ts';
import { type Crawl, CrawlsStore } from './crawls-store.ts';

/** How long a crawl started by this window is polled, even while the view is hidden. */
const followMs = 10 * 60_000;
const busyPollMs = 3_000;
const idlePollMs = 15_000;
/** Recent crawls that are looked at when the view has read nothing yet: some may have ended a moment ago. */
const recent = { most: 10, startedWithinMs: 24 * 60 * 60_000 };
/** Crawls whose status is read per poll. */
const maxPerPoll = 20;

/** Polls the active crawls and their progress. */
export class ActiveCrawls extends ServerPoll<CrawlsStore> {
  #limit: RateLimit;

  constructor(options: Pick<ServerPollOptions, 'connection' | 'log' | 'now' | 'after'>) {
    const store = new CrawlsStore(options.now);
    super({
      ...options,
      name: 'Active crawls',
      viewId: views.activeCrawls,
      store,
      read: (access) => this.#read(access),
      pollMs: () => (store.active.length > 0 ? busyPollMs : idlePollMs),
    });
    this.#limit = options.connection.rateLimit;
  }

  /** Adds a crawl started by this window, and polls it even while the view is hidden. */
  async started(id: string, url: string, options: Readonly<Record<string, unknown>>): Promise<void> {
    const { optionLines } = await import('./option-lines.ts');
    this.store.addStarted(id, url, optionLines(options), options);
    this.#follow();
  }

  /** Adds a crawl that repeats another one, and polls it even while the view is hidden. */
  repeated(id: string, url: string, from: Pick<Crawl, 'optionLines' | 'options'> | undefined): void {
    this.store.addStarted(id, url, from?.optionLines ?? [], from?.options);
    this.#follow();
  }

  /** Marks a crawl canceled by this window. */
  cancelled(id: string): void {
    this.store.markCancelled(id);
    this.policy.request('changed');
  }

  /** Marks a crawl that this window let go on, and polls it even while the view is hidden. */
  continued(id: string): void {
    this.store.markContinued(id);
    this.#follow();
  }

  #follow(): void {
    this.policy.watch(followMs);
    this.policy.request('started');
  }

  async #read({ client }: Access): Promise<() => void> {
    const { optionLines } = await import('./option-lines.ts');
    const isFirst = this.store.updatedAt === undefined;
    const [{ crawls }, lately] = await Promise.all([
      client.listActiveCrawls({}, { retries: 0 }),
      isFirst ? this.#recent(client) : [],
    ]);
    const known = this.store.active.map(({ id }) => id);
    const listed = crawls.map((crawl) => ({
      ...crawl,
      ...(crawl.options && { optionLines: optionLines(crawl.options) }),
    }));
    // The list itself was read: rows stay, and their progress waits for the limit.
    const isKnown = new Set([...crawls.map(({ id }) => id), ...known]);
    const earlier = lately.filter(({ id }) => !isKnown.has(id));
    const ids = [...idsToPoll(crawls, known), ...earlier.map(({ id }) => id)];
    const jobs = ids.map((id) => ({ kind: 'crawl' as const, id }));
    const { readJobStates } = await import('../connection/polling/job-states.ts');
    const states = await readJobStates(client, jobs, this.#limit);
    return () => {
      this.store.setList(listed, states);
      // Somebody waits for the end of those, however long they take.
      if (this.store.active.some(({ own }) => own)) this.policy.watch(followMs);
      this.store.addEnded(earlier, states);
    };
  }

  /** Returns the crawls that were started lately, if the server lists them. */
  async #recent(client: Client): Promise<{ id: string; url: string | undefined; createdAt: number | undefined }[]> {
    const query = { endpoint: 'crawl' as const, limit: recent.most };
    const page = await client.listActivity({ query }, { retries: 0 }).catch((error: unknown) => {
      this.#limit.note(error);
      return { data: [] };
    });
    const now = this.now();
    return page.data.slice(0, recent.most).flatMap(({ id, target, created_at }) => {
      const createdAt = serverTime(created_at, now);
      if (!id || (createdAt !== undefined && createdAt < now - recent.startedWithinMs)) return [];
      return [{ id, url: target ?? undefined, createdAt }];
    });
  }
}

/** Crawls that are no longer listed come first, since they may have ended. */
function idsToPoll(listed: readonly ActiveCrawl[], known: readonly string[]): string[] {
  const ids = listed.flatMap(({ id }) => (id ? [id] : []));
  const isListed = new Set(ids);
  return [...known.filter((id) => !isListed.has(id)), ...isListed].slice(0, maxPerPoll);
}
