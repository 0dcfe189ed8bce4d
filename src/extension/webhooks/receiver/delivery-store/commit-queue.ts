import type { Arrived, DeliveryStore, Stored } from './delivery-store.ts';

/** Stores deliveries as many at a time as came together: one wait for the disk acknowledges them all. */
export interface CommitQueue {
  /** Resolves when the delivery is on the disk. Undefined: too many wait already. Rejects when it could not be stored. */
  add(arrived: Arrived): Promise<Stored> | undefined;
}

interface Waiting {
  arrived: Arrived;
  resolve(stored: Stored): void;
  reject(error: unknown): void;
}

const atATime = 500;

/** @param most deliveries and bytes that may wait */
export function createCommitQueue(
  store: Pick<DeliveryStore, 'add'>,
  most: { count: number; bytes: number } = { count: 5_000, bytes: 64 * 1024 * 1024 },
): CommitQueue {
  let waiting: Waiting[] = [];
  let bytes = 0;

  function commit(): void {
    const batch = waiting.slice(0, atATime);
    waiting = waiting.slice(atATime);
    for (const { arrived } of batch) bytes -= arrived.body.length;
    if (waiting.length > 0) setImmediate(commit);
    try {
      const results = store.add(batch.map(({ arrived }) => arrived));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] ?? 'stored');
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return {
    add(arrived) {
      if (waiting.length >= most.count || bytes + arrived.body.length > most.bytes) return undefined;
      if (waiting.length === 0) setImmediate(commit);
      bytes += arrived.body.length;
      return new Promise((resolve, reject) => waiting.push({ arrived, resolve, reject }));
    },
  };
}
