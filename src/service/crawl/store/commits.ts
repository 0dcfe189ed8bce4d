import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../../storage/storage.ts';

/** Stores what happens in many jobs, as much as came together in one transaction. */
export interface Commits {
  /** Resolves when `work` is stored; rejects, after `undo`, when it could not be. */
  run(work: () => void, undo: () => void): Promise<void>;
  /** Stores at once what waits. */
  flush(): void;
  /** Stores what waits, and from then on nothing: what comes later is rejected. */
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
    // One that cannot be stored must not take the others with it.
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
        if (closed) return reject(new Error('The service is ending.'));
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
