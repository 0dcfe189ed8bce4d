import { constants, realpath as realpathInSteps } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { ServiceError } from '../errors.ts';

/** Opens without waiting for a pipe that nobody writes to. Windows has no such flag, nor the one against links. */
export const withoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const flags = withoutWaiting | (constants.O_NOFOLLOW ?? 0);

/** Reads a regular file. Rejects if it isn't one, or with 413 if it has more bytes than that, whatever size the system says that it has. */
export async function readRegularFile(path: string, mostBytes: number): Promise<Buffer> {
  const file = await open(path, withoutWaiting);
  return await readOpened(file, mostBytes).finally(() => file.close());
}

async function readOpened(file: FileHandle, mostBytes: number): Promise<Buffer> {
  const opened = await file.stat();
  if (!opened.isFile()) throw new Error("It isn't a regular file.");
  // Some file systems don't know sizes, and say 0.
  const content = Buffer.allocUnsafe(Math.min(opened.size || Number.POSITIVE_INFINITY, mostBytes + 1));
  let length = 0;
  for (let read = -1; read !== 0 && length < content.length; length += read)
    read = (await file.read(content, length)).bytesRead;
  if (length > mostBytes) throw new ServiceError(413, `It is larger than ${mostBytes / 1024 / 1024} MiB.`);
  return content.subarray(0, length);
}

/**
 * Reads a file below a folder, whatever it or a folder above it was exchanged for since it was listed. Rejects if it is no
 * regular file, lies outside of the folder, or is larger.
 * @param folder without symbolic links
 * @param ownFiles the folder in which the system has links to what this process has open
 */
export async function readWithin(
  folder: string,
  path: string,
  mostBytes: number,
  ownFiles = process.platform === 'linux' ? '/proc/self/fd' : undefined,
): Promise<Buffer> {
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ELOOP' ? new Error('It is now a symbolic link.') : error;
  });
  try {
    const place = await placeOf(file, path, ownFiles);
    if (place === undefined || !isWithin(folder, place)) throw new Error('It now leads out of the folder.');
    return await readOpened(file, mostBytes);
  } finally {
    await file.close();
  }
}

/** Linux knows where what was opened is. Elsewhere, and without /proc, it must be what is in the folder now. */
async function placeOf(file: FileHandle, path: string, ownFiles?: string): Promise<string | undefined> {
  const known = ownFiles && (await readlink(`${ownFiles}/${file.fd}`).catch(unless('ENOENT')));
  if (known) return known;
  const actual = await realPath(path);
  const [opened, { dev, ino }] = await Promise.all([file.stat({ bigint: true }), stat(actual, { bigint: true })]);
  // These calls number drives differently on Windows.
  return ino === opened.ino && (dev === opened.dev || process.platform === 'win32') ? actual : undefined;
}

/** Returns a path without symbolic links, also on drives that Windows knows no such path of. */
export async function realPath(path: string): Promise<string> {
  return (await realpath(path).catch(unless('EISDIR'))) ?? (await promisify(realpathInSteps)(path));
}

function unless(code: string) {
  return (error: NodeJS.ErrnoException) => {
    if (error.code !== code) throw error;
    return undefined;
  };
}

/** Whether a path is that of a folder or of something below it, both without symbolic links. */
export function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}
