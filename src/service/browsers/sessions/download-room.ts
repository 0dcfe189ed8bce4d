import { opendir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { removeEmptyFolder, removeFolder } from '../../platform/system/rename.ts';
import type { CdpClient } from '../chrome/cdp-client.ts';

/** What downloads leave of a disk for everything else, in bytes, and the part of a small one. */
const [reserve, reservePart] = [1024 ** 3, 0.1];
/** As long as the downloads of a browser have received less together, they are let through, in bytes. */
const smallBytes = 10_000_000;

/** Cancels downloads of a browser that leave too little of the disk: a page may begin one that never ends. */
export function keepRoom(client: Pick<CdpClient, 'on' | 'send'>, folder: string, log: Log, hasRoom = roomIn): void {
  let isChecking = false;
  let isTold = false;
  let received = 0;
  /** What each of the downloads that run has received. */
  const running = new Map<string, number>();
  client.on('Browser.downloadWillBegin', ({ guid }) => onProgress(guid, 0));
  client.on('Browser.downloadProgress', ({ guid, state, receivedBytes }) => {
    onProgress(guid, receivedBytes);
    if (state !== 'inProgress') running.delete(guid);
  });

  function onProgress(guid: string, bytes: number): void {
    received += bytes - (running.get(guid) ?? 0);
    running.set(guid, bytes);
    if (received < smallBytes || isChecking) return;
    isChecking = true;
    void cancelWithoutRoom().finally(() => {
      isChecking = false;
    });
  }

  async function cancelWithoutRoom(): Promise<void> {
    // Whether a folder can't be read or a browser has ended is told to whoever uses it.
    if (await hasRoom(folder).catch(() => true)) return;
    const guids = [...running.keys()];
    running.clear();
    await Promise.all(guids.map((guid) => client.send('Browser.cancelDownload', { guid }).catch(() => undefined)));
    if (!isTold) log.warn({ folder }, 'downloads of a session are canceled, because the disk is almost full');
    isTold = true;
  }
}

async function roomIn(folder: string): Promise<boolean> {
  const { bavail, blocks, bsize } = await statfs(folder);
  // Some file systems don't tell.
  return blocks === 0 || bavail * bsize > Math.min(reserve, reservePart * blocks * bsize);
}

/** Deletes what a browser that has ended didn't download completely, and the folder if nothing else is in it. */
export async function removeUnfinished(folder: string, log: Log): Promise<void> {
  try {
    // Code of the session may have filled it.
    for await (const { name } of (await opendir(folder).catch(() => undefined)) ?? [])
      if (name.endsWith('.crdownload')) await removeFolder(join(folder, name));
    await removeEmptyFolder(folder);
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'unfinished downloads could not be deleted');
  }
}
