import type { DeliveryStore, NewDelivery, StoreResult } from './delivery-store.ts';

/** Stores deliveries in batches, so that one disk sync acknowledges all deliveries that arrived together. */
export interface CommitQueue {
  /** Resolves when the delivery is on disk; rejects if it couldn't be stored. Returns undefined if the queue is full. */
  add(delivery: NewDelivery): Promise<StoreResult> | undefined;
}

interface Waiting {
  delivery: NewDelivery;
  resolve(result: StoreResult): void;
  reject(error: unknown): void;
}

const batchSize = 500;

/** @param max deliveries and bytes that may wait */
export function createCommitQueue(
  store: Pick<DeliveryStore, 'add'>,
  max: { count: number; bytes: number } = { count: 5_000, bytes: 64 * 1024 * 1024 },
): CommitQueue {
  let waiting: Waiting[] = [];
  let bytes = 0;

  function commit(): void {
    const batch = waiting.slice(0, batchSize);
    waiting = waiting.slice(batchSize);
    for (const { delivery } of batch) bytes -= delivery.body.length;
    if (waiting.length > 0) setImmediate(commit);
    try {
      const results = store.add(batch.map(({ delivery }) => delivery));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] ?? 'stored');
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return {
    add(delivery) {
      if (waiting.length >= max.count || bytes + delivery.body.length > max.bytes) return undefined;
      if (waiting.length === 0) setImmediate(commit);
      bytes += delivery.body.length;
      return new Promise((resolve, reject) => waiting.push({ delivery, resolve, reject }));
    },
  };
}
