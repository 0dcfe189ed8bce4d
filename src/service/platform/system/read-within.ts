import { type BigIntStats, constants } from 'node:fs';
import { open, readlink, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';

/** Not through a link, and without waiting for a pipe that nobody writes to. Windows has neither flag. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a file below a folder, whatever it or a folder above it was exchanged for since it was listed. Rejects if it is no
 * regular file, lies outside of the folder, or is larger.
 * @param folder without symbolic links
 */
export async function readWithin(
  folder: string,
  path: string,
  mostBytes: number,
  platform = process.platform,
): Promise<Buffer> {
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ELOOP' ? new Error('It is now a symbolic link.') : error;
  });
  try {
    const opened = await file.stat({ bigint: true });
    if (!opened.isFile()) throw new Error('It is no longer a regular file.');
    if (!(await isBelow(folder, path, file.fd, opened, platform))) throw new Error('It now leads out of the folder.');
    if (opened.size > mostBytes) throw new Error(`It is larger than ${mostBytes / 1024 / 1024} MB.`);
    const content = Buffer.allocUnsafe(Number(opened.size));
    let length = 0;
    for (let read = -1; read !== 0 && length < content.length; length += read)
      read = (await file.read(content, length)).bytesRead;
    return content.subarray(0, length);
  } finally {
    await file.close();
  }
}

/** Linux knows where what was opened is. Elsewhere, it is what is in the folder now. */
async function isBelow(
  folder: string,
  path: string,
  fd: number,
  opened: BigIntStats,
  platform: NodeJS.Platform,
): Promise<boolean> {
  const place = platform === 'linux' ? await readlink(`/proc/self/fd/${fd}`).catch(() => undefined) : undefined;
  if (place !== undefined) return isWithin(folder, place);
  const actual = await realpath(path);
  const { dev, ino } = await stat(actual, { bigint: true });
  // These calls number drives differently on Windows.
  return isWithin(folder, actual) && ino === opened.ino && (dev === opened.dev || platform === 'win32');
}

/** Whether a path is that of a folder or of something below it, both without symbolic links. */
export function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}
