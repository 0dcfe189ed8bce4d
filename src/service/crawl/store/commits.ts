import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../../storage/storage.ts';

/** Groups the writes of many jobs into shared transactions. */
export interface Commits {
  /** Resolves when `work` is stored; calls `undo` and rejects when it could not be. */
  run(work: () => void, undo: () => void): Promise<void>;
  /** Stores all waiting work now. */
  flush(): void;
  /** Stores all waiting work, then rejects any further work. */
  close(): void;
}

interface Item {
  work(): void;
  undo(): void;
  resolve(): void;
  reject(error: unknown): void;
}

export function createCommits(database: DatabaseSync): Commits {
  let waiting: Item[] = [];
  let closed = false;

  function flush(): void {
    const items = waiting;
    waiting = [];
    if (items.length === 0 || store(items) === undefined) return;
    // An item that can't be stored must not fail the others.
    for (const item of items) {
      const failure = store([item]);
      if (failure) item.reject(failure.error);
    }
  }

  function store(items: Item[]): { error: unknown } | undefined {
    try {
      transaction(database, () => {
        for (const { work } of items) work();
      });
    } catch (error) {
      for (const { undo } of items) undo();
      return { error };
    }
    for (const { resolve } of items) resolve();
    return undefined;
  }

  return {
    run: (work, undo) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Error('The service is shutting down.'));
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ work, undo, resolve, reject });
      }),
    flush,
    close() {
      flush();
      closed = true;
    },
  };
}
