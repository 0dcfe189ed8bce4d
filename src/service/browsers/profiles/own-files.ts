import { constants } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { jsonOf } from '../../platform/large-json.ts';
import { readLargeJson } from '../../platform/read-large-json.ts';
import { removeFolder } from '../../platform/system/rename.ts';

/** Undefined on Windows. */
const noLinks = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/** Writes JSON into the folder of a browser, which can write there too: a link that it made must not lead to another file. */
export async function writeOwnJson(path: string, value: unknown): Promise<void> {
  const json = await jsonOf(value);
  await removeFolder(path);
  await writeFile(path, json, { mode: 0o600, flag: 'wx' });
}

/** What reading ends with if the browser has none, or has put a link or a folder in its place. */
const noFile = ['ENOENT', 'ELOOP', 'EISDIR'];

/** Reads what was written; undefined if there is no such file. Rejects if it can't be read, or isn't JSON. */
export async function readOwnJson(path: string): Promise<unknown> {
  try {
    return await readLargeJson([await readFile(path, { flag: noLinks })]);
  } catch (error) {
    if (noFile.includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  }
}
