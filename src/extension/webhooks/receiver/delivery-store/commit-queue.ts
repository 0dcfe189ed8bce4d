import type { DeliveryStore, NewDelivery, StoreResult } from './delivery-store.ts';

/** Stores deliveries in batches, so that one disk sync acknowledges all deliveries that arrived together. */
export type CommitQueue = ReturnType<typeof createCommitQueue>;

const batchSize = 500;

/** @param max deliveries and bytes that may wait */
export function createCommitQueue(
  store: Pick<DeliveryStore, 'add'>,
  max: { count: number; bytes: number } = { count: 5_000, bytes: 64 * 1024 * 1024 },
) {
  let waiting: { delivery: NewDelivery; resolve(result: StoreResult): void; reject(error: unknown): void }[] = [];
  let bytes = 0;

  let storing = false;

  /** Stores what waits, batch by batch. Never rejects. */
  async function storeAll(): Promise<void> {
    storing = true;
    while (waiting.length > 0) {
      // Those that arrive together share a batch.
      await new Promise(setImmediate);
      const batch = waiting.slice(0, batchSize);
      waiting = waiting.slice(batchSize);
      for (const { delivery } of batch) bytes -= delivery.body.length;
      try {
        const results = store.add(batch.map(({ delivery }) => delivery));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] ?? 'stored');
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    storing = false;
  }

  return {
    /** Resolves when the delivery is on disk; rejects if it couldn't be stored. Returns undefined if the queue is full. */
    add(delivery: NewDelivery): Promise<StoreResult> | undefined {
      if (waiting.length >= max.count || bytes + delivery.body.length > max.bytes) return undefined;
      bytes += delivery.body.length;
      const stored = new Promise<StoreResult>((resolve, reject) => waiting.push({ delivery, resolve, reject }));
      if (!storing) void storeAll();
      return stored;
    },
  };
}
