import type { SiteRobots } from '../site/robots-cache.ts';
import type { Frontier, WaitingPage } from '../store/frontier.ts';

/** The waiting pages of one origin. */
export interface OriginQueue {
  readonly origin: string;
  /** Host and port, by which requests are paced. */
  readonly host: string;
  /** Undefined until loading starts. */
  robots: SiteRobots | 'loading' | undefined;
  /** Why the origin's pages are no longer fetched, if so. */
  unavailable: string | undefined;
  /** Returns the next page without removing it; 'loading' while it is read from the frontier. */
  peek(): WaitingPage | 'loading' | undefined;
  shift(): void;
  /** Puts a page back at the front. */
  putBack(page: WaitingPage): void;
}

/** The origins of a job, each with its queue. Pages are loaded from the frontier in chunks, so that memory use stays flat. */
export interface OriginQueues {
  /** Notes that an origin has new waiting pages. */
  note(origin: string): void;
  /** Removes a waiting page that no longer needs a fetch. */
  drop(page: number): void;
  /** Ends a drop: for good, or by letting the page wait again. */
  endDrop(page: number, forGood: boolean): void;
  /** Returns the queue of an origin, if it has had pages. */
  find(origin: string): OriginQueue | undefined;
  /** Every origin that may have waiting pages, least recently served first. */
  all(): Iterable<OriginQueue>;
  /** Marks an origin as the most recently served. */
  served(queue: OriginQueue): void;
}

const chunkSize = 100;

export interface QueueHooks {
  /** Pages were loaded. */
  onLoaded(): void;
  /** Pages could not be loaded. They are loaded again when they are asked for. */
  onFailed(error: unknown): void;
}

export function createOriginQueues(
  frontier: Pick<Frontier, 'waiting'>,
  job: number,
  { onLoaded, onFailed }: QueueHooks,
): OriginQueues {
  const queues = new Map<string, OriginQueue & { more: boolean }>();
  /** Pages that need no fetch, by id, with the page once its turn has come. */
  const dropped = new Map<number, { page: WaitingPage; queue: OriginQueue } | undefined>();
  const forGood = new Set<number>();

  function create(origin: string): OriginQueue & { more: boolean } {
    const loaded: WaitingPage[] = [];
    let last = 0;
    let loading = false;
    async function load(): Promise<void> {
      loading = true;
      queue.more = false;
      try {
        const pages = await frontier.waiting(job, origin, last, chunkSize);
        // More may have been noted in the meantime.
        queue.more ||= pages.length === chunkSize;
        last = pages.at(-1)?.id ?? last;
        loaded.push(...pages);
      } catch (error) {
        queue.more = true;
        onFailed(error);
        return;
      } finally {
        loading = false;
      }
      onLoaded();
    }
    const queue = {
      origin,
      host: origin.slice(origin.indexOf('//') + 2),
      robots: undefined,
      unavailable: undefined,
      more: true,
      peek() {
        for (;;) {
          const [page] = loaded;
          if (!page) {
            if (queue.more && !loading) void load();
            return loading ? ('loading' as const) : undefined;
          }
          if (!dropped.has(page.id)) return page;
          loaded.shift();
          if (forGood.delete(page.id)) dropped.delete(page.id);
          else dropped.set(page.id, { page, queue });
        }
      },
      shift: () => void loaded.shift(),
      putBack: (page: WaitingPage) => void loaded.unshift(page),
    };
    return queue;
  }

  return {
    note(origin) {
      const queue = queues.get(origin);
      if (queue) queue.more = true;
      else queues.set(origin, create(origin));
    },
    drop: (page) => void dropped.set(page, undefined),
    endDrop(page, stored) {
      const skipped = dropped.get(page);
      if (stored && !skipped) forGood.add(page);
      else dropped.delete(page);
      if (!stored) skipped?.queue.putBack(skipped.page);
    },
    find: (origin) => queues.get(origin),
    all: () => queues.values(),
    served(queue) {
      const known = queues.get(queue.origin);
      if (!known || queues.size === 1) return;
      queues.delete(queue.origin);
      queues.set(queue.origin, known);
    },
  };
}
