import { rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** What Windows reports while a scanner, an indexer or a process that is exiting has a file open. */
const inUse = new Set(['EPERM', 'EACCES', 'EBUSY', 'ENOTEMPTY']);
/** Waits between attempts in milliseconds: about three seconds in all. */
const delays = [20, 50, 100, 200, 400, 800, 1600];

export interface Renaming {
  platform: NodeJS.Platform;
  rename(from: string, to: string): Promise<void>;
  wait(ms: number): Promise<unknown>;
}

const thisSystem: Renaming = { platform: process.platform, rename, wait: (ms) => sleep(ms) };

/** Renames a file or folder. On Windows, where one in use can't be renamed, it tries for about three seconds. */
export async function renameInUse(from: string, to: string, system: Renaming = thisSystem): Promise<void> {
  for (const delay of [...delays, undefined]) {
    try {
      return await system.rename(from, to);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (system.platform !== 'win32' || delay === undefined || !inUse.has(code)) throw error;
      await system.wait(delay);
    }
  }
}

/** Deletes a folder with everything in it, also while something in it is about to be closed. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
