import { randomUUID } from 'node:crypto';
import { chmod, readdir, rename, rm, rmdir, unlink, writeFile } from 'node:fs/promises';
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

/** Replaces a file atomically. Only its user may read it. */
export async function replaceFile(path: string, content: string | Iterable<string>): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  try {
    await writeFile(draft, content, { mode: 0o600 });
    await renameInUse(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

const removalTries = 5;
const removalPauseMs = 100;

/** How deletion fails in folders that are write-protected, or nested more deeply than a path can say. */
const stubborn = new Set(['EACCES', 'EPERM', 'ENAMETOOLONG']);

/**
 * Deletes a folder with everything in it, with retries: a process that has just exited may still be writing there. Code that
 * runs elsewhere may have filled it, but must run no more.
 */
export async function removeFolder(path: string): Promise<void> {
  // Its own retries are for each entry, which takes a minute for a folder that can't be deleted.
  await retryRemoval(() =>
    rm(path, { recursive: true, force: true }).catch(async (error: NodeJS.ErrnoException) => {
      if (process.platform === 'win32' || !stubborn.has(error.code ?? '')) throw error;
      await removeStubborn(path);
    }),
  );
}

/** Deletes a folder however it is protected and nested: makes each folder in it writable, and moves it to the top. */
async function removeStubborn(root: string): Promise<void> {
  await chmod(root, 0o700);
  const folders = [Buffer.from(root)];
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    const isRoot = folder.equals(Buffer.from(root));
    // Names are bytes, which needn't be UTF-8.
    for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
      const path = Buffer.concat([folder, Buffer.from('/'), entry.name]);
      if (!entry.isDirectory()) {
        await unlink(path);
        continue;
      }
      await chmod(path, 0o700);
      const atTop = isRoot ? path : Buffer.from(`${root}/${randomUUID()}`);
      if (!isRoot) await rename(path, atTop);
      folders.push(atTop);
    }
    if (!isRoot) await rmdir(folder);
  }
  await rmdir(root);
}

/** Deletes a folder unless something is in it, with retries. */
export async function removeEmptyFolder(path: string): Promise<void> {
  await retryRemoval(() =>
    rmdir(path).catch((error: NodeJS.ErrnoException) => {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code ?? '')) throw error;
    }),
  );
}

async function retryRemoval(remove: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await remove();
    } catch (error) {
      if (tries === removalTries) throw error;
    }
    await sleep(removalPauseMs);
  }
}
