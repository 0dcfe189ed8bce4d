import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { shorten } from '../../../../contract/shorten.ts';
import type { Download, PageDriver } from '../../../browsers/page/driver/driver.ts';

/** Milliseconds to wait for the end of a download that an action started. */
const downloadMs = 5_000;

/** Returns what an action has downloaded, once it is complete or has taken too long. */
export async function finished(page: PageDriver): Promise<readonly Download[]> {
  const isPending = () => page.downloads.some(({ state }) => state === 'inProgress');
  for (const end = performance.now() + downloadMs; isPending() && performance.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 50));
  return page.downloads;
}

/** Writes where a file was saved. */
export function describeDownload(download: Download, folder: string): string {
  const { name, state } = download;
  if (state !== 'completed')
    return `Download of ${shorten(name, 100)}: ${state === 'inProgress' ? 'still in progress' : 'canceled'}`;
  return `Downloaded ${shorten(name, 100)}: ${download.path ?? fileOf(download, folder) ?? folder}`;
}

/** Cancels a download and deletes its file. */
export async function deleteDownload(page: PageDriver, download: Download, folder: string): Promise<void> {
  await page.cancelDownload(download.id);
  await deleteFile(download, folder);
}

/** Deletes the file of a download, if there is one. */
export async function deleteFile(download: Pick<Download, 'id' | 'name' | 'path'>, folder: string): Promise<void> {
  const file = fileOf(download, folder);
  if (file) await rm(file, { force: true });
}

/** Returns the file of a download, if there is one in the folder: the browser may name others. */
function fileOf({ id, name, path }: Pick<Download, 'id' | 'name' | 'path'>, folder: string): string | undefined {
  // While code of the session uses Playwright, files have the ID of their download as their name.
  return [path ?? '', id, name]
    .map((each) => basename(each))
    .filter((each) => !['', '.', '..'].includes(each))
    .map((each) => join(folder, each))
    .find((each) => existsSync(each));
}
