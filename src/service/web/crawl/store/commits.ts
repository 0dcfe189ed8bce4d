import { storageProblem, transaction } from '../../../../storage/storage.ts';
import { getOrAdd } from '../../../platform/maps.ts';
import type { Database } from '../../../platform/storage/storage.ts';

/** @param error why nothing was stored; undefined if the work runs again */
export type Undo = (error?: unknown) => void;

type Write<Item> = (items: Item[], tx: Database, commit: Commit) => Promise<void>;

/** A transaction that several works share. */
export interface Commit {
  readonly tx: Database;
  /** Has `write` called once at the end of the transaction, with the items that all work has given for `key`. */
  gather<Item>(key: object, item: Item, write: Write<Item>): void;
  /** Has `write` called once, after everything that was gathered is written. */
  finally(key: object, write: (tx: Database) => Promise<void>): void;
  /** Writes what was gathered so far, for work that reads it. */
  flush(): Promise<void>;
}

interface Waiting {
  work(commit: Commit): Promise<void>;
  undo: Undo;
  resolve(): void;
  reject(error: unknown): void;
}

/** How long work waits for more to share a transaction with. */
const gatherMs = 4;
/** Maximum number of pieces of work in a transaction. */
const maxTogether = 40;

/** Groups the writes of many jobs into shared transactions, one after another. */
export function createCommits(database: Database) {
  let waiting: Waiting[] = [];
  let storing: Promise<void> | undefined;
  let closed = false;
  let urgent = false;
  let hurry = () => {};

  async function storeAll(): Promise<void> {
    while (waiting.length > 0) {
      if (waiting.length < maxTogether && !urgent && !closed) await gathered();
      urgent = false;
      const works = waiting.slice(0, maxTogether);
      waiting = waiting.slice(maxTogether);
      const failure = await store(works);
      if (!failure) continue;
      const { error } = failure;
      if (storageProblem(error) !== undefined) {
        for (const work of works) work.reject(error);
        continue;
      }
      // One that can't be stored must not fail the others.
      for (const work of works) {
        const own = await store([work]);
        if (own) work.reject(own.error);
      }
    }
  }

  function gathered(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, gatherMs);
      hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function store(works: readonly Waiting[]): Promise<{ error: unknown } | undefined> {
    const begun: Waiting[] = [];
    try {
      await transaction(database, async (tx) => {
        takeBack(begun);
        const { commit, end } = commitOf(tx);
        for (const work of works) {
          begun.push(work);
          await work.work(commit);
        }
        await end();
      });
    } catch (error) {
      takeBack(begun, error);
      return { error };
    }
    for (const { resolve } of works) resolve();
    return undefined;
  }

  function takeBack(begun: Waiting[], error?: unknown): void {
    for (const { undo } of begun.splice(0).reverse()) undo(error);
  }

  function add(isUrgent: boolean, work: Waiting['work'], undo: Waiting['undo'] = () => undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (closed) return reject(new Error('The service is shutting down.'));
      waiting.push({ work, undo, resolve, reject });
      urgent ||= isUrgent;
      if (urgent || waiting.length >= maxTogether) hurry();
      storing ??= storeAll().finally(() => {
        storing = undefined;
      });
    });
  }

  return {
    /**
     * Resolves when `work` is stored; calls `undo` and rejects when it could not be. Pieces of work run one at a time, in
     * order, but share a transaction: `undo` has to undo what `work` changed outside the database, before other work runs.
     * If `isOutcomeUnknown` is true of the error, the work may have been stored nevertheless.
     */
    run: (work: Waiting['work'], undo?: Undo): Promise<void> => add(false, work, undo),
    /** As `run`, but at once, with all waiting work, because a caller waits for it. */
    runNow: (work: Waiting['work'], undo?: Undo): Promise<void> => add(true, work, undo),
    /** Stores all waiting work. */
    async finish(): Promise<void> {
      hurry();
      await storing;
    },
    /** Stores all waiting work, then rejects any further work. */
    async close(): Promise<void> {
      closed = true;
      hurry();
      await storing;
    },
  };
}

/** Returns a transaction that several pieces of work share, and a function that writes what is left. */
function commitOf(tx: Database): { commit: Commit; end(): Promise<void> } {
  const gathered = new Map<object, { items: unknown[]; write: Write<unknown> }>();
  const last = new Map<object, (tx: Database) => Promise<void>>();
  const commit: Commit = {
    tx,
    gather(key, item, write) {
      getOrAdd(gathered, key, () => ({ items: [], write: write as Write<unknown> })).items.push(item);
    },
    finally: (key, write) => void last.set(key, write),
    async flush() {
      // A write may gather more.
      for (const [key, { items, write }] of gathered) {
        gathered.delete(key);
        await write(items, tx, commit);
      }
    },
  };
  return {
    commit,
    async end() {
      await commit.flush();
      for (const write of last.values()) await write(tx);
    },
  };
}
