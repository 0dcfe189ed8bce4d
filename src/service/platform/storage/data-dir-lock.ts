import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { shorten } from '../../../contract/shorten.ts';
import { isDamaged, isLocked } from '../../../storage/storage.ts';

/** Another service is using the data directory. */
export class DataDirInUse extends Error {
  constructor(dataDir: string) {
    super(
      `Another service is using the data directory ${shorten(dataDir)}. Connect to it, stop it, or set --data-dir to another folder.`,
    );
    this.name = 'DataDirInUse';
  }
}

/**
 * Locks the data directory for this process with an operating system file lock, which is released however the
 * process exits. Returns a function that releases it. Throws DataDirInUse.
 */
export function lockDataDir(dataDir: string): () => void {
  const path = join(dataDir, 'lock.sqlite');
  let lock = new DatabaseSync(path);
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (isLocked(error)) throw new DataDirInUse(dataDir);
    if (!isDamaged(error)) throw error;
    rmSync(path);
    lock = new DatabaseSync(path);
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  }
  return () => lock.close();
}
