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
  /** Returns the next page without removing it. */
  peek(): WaitingPage | undefined;
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
  /** Returns the queue of an origin, if it has had pages. */
  find(origin: string): OriginQueue | undefined;
  /** Every origin that may have waiting pages, least recently served first. */
  all(): Iterable<OriginQueue>;
  /** Marks an origin as the most recently served. */
  served(queue: OriginQueue): void;
}

const chunkSize = 100;

export function createOriginQueues(frontier: Frontier, job: number): OriginQueues {
  const queues = new Map<string, OriginQueue & { more: boolean }>();
  const dropped = new Set<number>();

  function create(origin: string): OriginQueue & { more: boolean } {
    const loaded: WaitingPage[] = [];
    let last = 0;
    const queue = {
      origin,
      host: origin.slice(origin.indexOf('//') + 2),
      robots: undefined,
      unavailable: undefined,
      more: true,
      peek() {
        for (;;) {
          if (loaded.length === 0 && queue.more) {
            const pages = frontier.waiting(job, origin, last, chunkSize);
            queue.more = pages.length === chunkSize;
            last = pages.at(-1)?.id ?? last;
            loaded.push(...pages);
          }
          const [page] = loaded;
          if (!page || !dropped.delete(page.id)) return page;
          loaded.shift();
        }
      },
      shift: () => void loaded.shift(),
      putBack: (page: WaitingPage) => void loaded.unshift(page),
    };
    return queue;
  }

  for (const origin of frontier.origins(job)) queues.set(origin, create(origin));
  return {
    note(origin) {
      const queue = queues.get(origin);
      if (queue) queue.more = true;
      else queues.set(origin, create(origin));
    },
    drop: (page) => void dropped.add(page),
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
