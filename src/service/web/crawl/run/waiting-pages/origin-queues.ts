import type { Frontier, WaitingPage } from '../../store/frontier.ts';

/** The waiting pages of one origin. */
export type OriginQueue = Parameters<ReturnType<typeof createOriginQueues>['served']>[0];

const chunkSize = 100;
/** Maximum number of origins that are open because they may have waiting pages. */
const maxOpen = 100;

export interface QueueHooks {
  /** Pages were loaded, or a deferred queue is back. */
  onLoaded(): void;
  /** Pages could not be loaded. They are loaded again when they are asked for. */
  onFailed(error: unknown): void;
  /** Calls back after some milliseconds. */
  after(ms: number, callback: () => void): void;
}

/**
 * The origins of a job, each with its queue. Pages are loaded from the frontier in chunks, and only a few origins are open
 * at a time: memory use stays flat, and starting a page costs the same for one origin and for a hundred thousand.
 */
export function createOriginQueues(
  frontier: Pick<Frontier, 'waiting'>,
  job: number,
  { onLoaded, onFailed, after }: QueueHooks,
) {
  /** Every origin that has been open. */
  const queues = new Map<string, Queue>();
  /** Origins with waiting pages that haven't been open yet. */
  const unopened = new Set<string>();
  const open = new Set<Queue>();
  const deferred = new Set<Queue>();
  /** Pages that need no fetch, by id, with the page once its turn has come. */
  const dropped = new Map<number, { page: WaitingPage; queue: Queue } | undefined>();
  const forGood = new Set<number>();

  const reopen = (queue: Queue) => {
    if (!deferred.has(queue)) open.add(queue);
  };

  class Queue {
    readonly origin: string;
    /** Why the origin's pages are no longer fetched, if so. */
    unavailable: string | undefined;
    /** Whether the frontier may have more pages than were loaded. */
    more = true;
    loaded: WaitingPage[] = [];
    last = 0;
    loading = false;
    /** Pages that were brought to the front before they were loaded, or after. */
    readonly brought = new Set<number>();

    constructor(origin: string) {
      this.origin = origin;
    }

    /** Host and port, by which requests are paced. */
    get host(): string {
      return this.origin.slice(this.origin.indexOf('//') + 2);
    }

    get isEmpty(): boolean {
      return this.loaded.length === 0 && !this.more && !this.loading;
    }

    async load(): Promise<void> {
      this.loading = true;
      this.more = false;
      try {
        const pages = await frontier.waiting(job, this.origin, this.last, chunkSize);
        // More may have been noted in the meantime.
        this.more ||= pages.length === chunkSize;
        this.last = pages.at(-1)?.id ?? this.last;
        this.loaded.push(...pages.filter(({ id }) => !this.brought.has(id)));
      } catch (error) {
        this.more = true;
        onFailed(error);
        return;
      } finally {
        this.loading = false;
      }
      onLoaded();
    }

    /** Returns the next page without removing it; 'loading' while it is read from the frontier. */
    peek(): WaitingPage | 'loading' | undefined {
      for (;;) {
        const [page] = this.loaded;
        if (!page) {
          if (this.more && !this.loading) void this.load();
          return this.loading ? 'loading' : undefined;
        }
        if (!dropped.has(page.id)) return page;
        this.loaded.shift();
        if (forGood.delete(page.id)) dropped.delete(page.id);
        else dropped.set(page.id, { page, queue: this });
      }
    }

    shift(): void {
      this.loaded.shift();
    }

    /** Puts a page back at the front. */
    putBack(page: WaitingPage): void {
      this.loaded.unshift(page);
      reopen(this);
    }

    /** Moves a page that was put back to the front. Returns false if there is none such. */
    bring(isWanted: (page: number) => boolean): boolean {
      const index = this.loaded.findIndex(({ id }) => isWanted(id));
      if (index !== -1) this.loaded.unshift(...this.loaded.splice(index, 1));
      return index !== -1;
    }

    /** Leaves the queue out of `all` for some milliseconds. */
    defer(ms: number): void {
      open.delete(this);
      deferred.add(this);
      after(ms, () => {
        deferred.delete(this);
        open.add(this);
        onLoaded();
      });
    }
  }

  return {
    /** Notes that an origin has new waiting pages. @param fromStart whether they may have been found before those that were loaded, which are settled */
    note(origin: string, fromStart = false) {
      const queue = queues.get(origin);
      if (!queue) return void unopened.add(origin);
      if (fromStart) queue.last = 0;
      queue.more = true;
      reopen(queue);
    },
    /** Removes a waiting page that no longer needs a fetch. */
    drop: (page: number) => void dropped.set(page, undefined),
    /** Ends a drop: for good, or by letting the page wait again. */
    endDrop(page: number, stored: boolean) {
      const skipped = dropped.get(page);
      if (stored && !skipped) forGood.add(page);
      else dropped.delete(page);
      if (!stored) skipped?.queue.putBack(skipped.page);
    },
    /** Whether origins that `all` leaves out may have waiting pages: those that were deferred, or aren't open yet. */
    get more() {
      return deferred.size > 0 || unopened.size > 0;
    },
    /** The open origins, least recently served first; one without waiting pages is closed. */
    *all(): Iterable<Queue> {
      for (const queue of open) {
        yield queue;
        if (queue.isEmpty) open.delete(queue);
      }
      for (const origin of unopened) {
        if (open.size >= maxOpen) return;
        unopened.delete(origin);
        const queue = new Queue(origin);
        queues.set(origin, queue);
        open.add(queue);
        yield queue;
      }
    },
    /** Moves a waiting page of an open origin to the front, whether it was loaded or not. */
    bring(origin: string, page: WaitingPage) {
      const queue = queues.get(origin);
      if (!queue) return;
      queue.brought.add(page.id);
      queue.loaded = queue.loaded.filter(({ id }) => id !== page.id);
      queue.putBack(page);
    },
    /** Marks an origin as the most recently served. */
    served(queue: Queue) {
      if (open.delete(queue)) open.add(queue);
    },
  };
}
