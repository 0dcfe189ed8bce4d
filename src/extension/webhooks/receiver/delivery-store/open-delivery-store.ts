import { chmodSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDamaged, NewerSchema, openSqliteFile } from '../../../../storage/storage.ts';
import type { Bounds } from '../deliveries.ts';
import { migrations, setUp } from './delivery-schema.ts';
import { DeliveryStore } from './delivery-store.ts';

/**
 * Opens the store in its own folder, readable only by its owner. A damaged file, or one with a newer schema, is moved
 * aside and replaced.
 */
export function openDeliveryStore(
  directory: string,
  bounds: Bounds,
  onMovedAside: (path: string) => void = () => undefined,
): DeliveryStore {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  const path = join(directory, 'deliveries.sqlite');
  const open = () => new DeliveryStore(openSqliteFile(path, { setUp, migrations }), bounds);
  let store: DeliveryStore;
  try {
    store = open();
  } catch (error) {
    if (!isDamaged(error) && !(error instanceof NewerSchema)) throw error;
    const aside = `${path}.unusable-${Date.now()}`;
    renameSync(path, aside);
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    onMovedAside(aside);
    store = open();
  }
  chmodSync(path, 0o600);
  return store;
}
