import type { SiteRobots } from '../site/robots-cache.ts';
import type { Frontier, WaitingPage } from '../store/frontier.ts';

/** The waiting pages of one origin, as far as they are loaded. */
export interface OriginQueue {
  readonly origin: string;
  /** Host and port, which requests are paced by. */
  readonly host: string;
  /** Undefined until it was asked for. */
  robots: SiteRobots | 'loading' | undefined;
  /** Why the origin's pages are not asked for any more. */
  givenUp: string | undefined;
  /** The next page, left in its place. */
  peek(): WaitingPage | undefined;
  shift(): void;
  /** Puts a page back, before all others. */
  putBack(page: WaitingPage): void;
}

/** The origins of a job, each with its queue; loaded from the frontier a few pages at a time, so that memory stays flat. */
export interface OriginQueues {
  /** There are new waiting pages of this origin. */
  note(origin: string): void;
  /** A page that waits is not to be fetched any more. */
  drop(page: number): void;
  /** Every origin that may have waiting pages, the one that was served longest ago first. */
  all(): Iterable<OriginQueue>;
  /** An origin has had its turn. */
  served(queue: OriginQueue): void;
}

const loadedAtATime = 100;

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
      givenUp: undefined,
      more: true,
      peek() {
        for (;;) {
          if (loaded.length === 0 && queue.more) {
            const pages = frontier.waiting(job, origin, last, loadedAtATime);
            queue.more = pages.length === loadedAtATime;
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
    all: () => queues.values(),
    served(queue) {
      const own = queues.get(queue.origin);
      if (!own || queues.size === 1) return;
      queues.delete(queue.origin);
      queues.set(queue.origin, own);
    },
  };
}
