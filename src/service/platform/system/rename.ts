import { randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { chmod, lstat, opendir, rename, rm, rmdir, unlink, writeFile } from 'node:fs/promises';
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

/** Entries that are deleted at the same time. */
const removedAtATime = 16;

/**
 * Deletes a folder with everything in it, with retries: a process that has just exited may still be writing there. Code that
 * runs elsewhere may have filled it, but must run no more.
 */
export async function removeFolder(path: string): Promise<void> {
  // Windows moves no folder that is in use. The retries of `rm` are for each entry: a minute for a folder that can't be deleted.
  const remove =
    process.platform === 'win32' ? () => rm(path, { recursive: true, force: true }) : () => removeAll(path);
  await retryRemoval(remove);
}

/**
 * Deletes a folder or file, however many files are in it, and however folders in it are protected and nested: what is deep is
 * moved to the top. Only a few names are kept in memory.
 */
async function removeAll(path: string): Promise<void> {
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats?.isDirectory()) return stats && (await unlink(path));
  const root = Buffer.from(path);
  await makeWritable(root);
  await empty(root, async (folder) => {
    await empty(folder, (inner) => rename(inner, Buffer.from(`${path}/${randomUUID()}`)));
    await rmdir(folder);
  });
  await rmdir(path);
}

/** Deletes the files of a folder, a few at a time, and lets `removeInner` delete its folders. */
async function empty(folder: Buffer, removeInner: (path: Buffer) => Promise<void>): Promise<void> {
  const remove = async (entry: Dirent) => {
    const path = Buffer.concat([folder, Buffer.from('/'), Buffer.from(entry.name, 'latin1')]);
    if (!entry.isDirectory()) return await unlink(path).catch(ignoreMissing);
    await makeWritable(path);
    await removeInner(path);
  };
  // Not every system lists all of a folder while it changes.
  for (let found = true; found; ) {
    found = false;
    const entries: Dirent[] = [];
    // Names are bytes, which needn't be UTF-8.
    for await (const entry of await opendir(folder, { encoding: 'latin1' })) {
      found = true;
      entries.push(entry);
      if (entries.length === removedAtATime) await Promise.all(entries.splice(0).map(remove));
    }
    await Promise.all(entries.map(remove));
  }
}

/** What belongs to somebody else may be deleted nevertheless. */
const makeWritable = (folder: Buffer) => chmod(folder, 0o700).catch(() => undefined);

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
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
