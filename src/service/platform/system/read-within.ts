import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
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
    const opened = await file.stat();
    if (!opened.isFile()) throw new Error('It is no longer a regular file.');
    const place = await placeOf(file, path, platform);
    if (place === undefined || !isWithin(folder, place)) throw new Error('It now leads out of the folder.');
    if (opened.size > mostBytes) throw new Error(`It is larger than ${mostBytes / 1024 / 1024} MB.`);
    const content = Buffer.allocUnsafe(opened.size);
    let length = 0;
    for (let read = -1; read !== 0 && length < content.length; length += read)
      read = (await file.read(content, length)).bytesRead;
    return content.subarray(0, length);
  } finally {
    await file.close();
  }
}

/** Linux knows where what was opened is. Elsewhere, it must be what is in the folder now. */
async function placeOf(file: FileHandle, path: string, platform: NodeJS.Platform): Promise<string | undefined> {
  if (platform === 'linux') return await readlink(`/proc/self/fd/${file.fd}`);
  const actual = await realpath(path);
  const [opened, { dev, ino }] = await Promise.all([file.stat({ bigint: true }), stat(actual, { bigint: true })]);
  // These calls number drives differently on Windows.
  return ino === opened.ino && (dev === opened.dev || platform === 'win32') ? actual : undefined;
}

/** Whether a path is that of a folder or of something below it, both without symbolic links. */
export function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}
