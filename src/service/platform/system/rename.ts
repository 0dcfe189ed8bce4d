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

/** Folders within each other, and bytes of their paths, that are deleted where they are; deeper ones are moved to the top before. */
const most = { depth: 32, path: 2048 };

/** Deletes a folder or file, however many files are in it, and however folders in it are protected and nested. Only a few names are kept in memory. */
async function removeAll(path: string): Promise<void> {
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats?.isDirectory()) return stats && (await unlink(path));
  await removeIn(path, Buffer.from(path), 0);
}

/** @param depth how many folders of `top` the folder is in */
async function removeIn(top: string, folder: Buffer, depth: number): Promise<void> {
  await makeWritable(folder);
  const remove = async (entries: Dirent<Buffer>[]) => {
    const pathOf = ({ name }: Dirent<Buffer>) => Buffer.concat([folder, Buffer.from('/'), name]);
    const files = entries.filter((entry) => !entry.isDirectory());
    await Promise.all(files.map((file) => unlink(pathOf(file)).catch(ignoreMissing)));
    for (const inner of entries.filter((entry) => entry.isDirectory())) {
      if (depth < most.depth && folder.length < most.path) await removeIn(top, pathOf(inner), depth + 1);
      else await moveTo(Buffer.from(`${top}/${randomUUID()}`), pathOf(inner));
    }
  };
  // Not every system lists all of a folder while it changes.
  for (let found = true; found; ) {
    found = false;
    let entries: Dirent<Buffer>[] = [];
    // Names are bytes, which needn't be UTF-8.
    const listed: unknown = await opendir(folder, { encoding: 'buffer' as BufferEncoding });
    for await (const entry of listed as AsyncIterable<Dirent<Buffer>>) {
      found = true;
      entries.push(entry);
      if (entries.length < removedAtATime) continue;
      await remove(entries);
      entries = [];
    }
    await remove(entries);
  }
  await rmdir(folder).catch(ignoreMissing);
}

async function moveTo(top: Buffer, folder: Buffer): Promise<void> {
  await makeWritable(folder);
  await rename(folder, top);
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
