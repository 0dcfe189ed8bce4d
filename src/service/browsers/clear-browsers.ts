import { mkdirSync } from 'node:fs';
import { messageOf } from '../platform/errors.ts';
import { removeFolder } from '../platform/system/rename.ts';
import { killStrays } from '../platform/system/stray-processes.ts';
import { openTemporaryFolders, type TemporaryFolders } from './chrome/temporary-folders.ts';
import { hostMarker, hostParents } from './sessions/host-folders.ts';

/**
 * Removes what a service that was killed has left behind: folders and processes of browsers. The data directory has to be
 * locked, so that no other service uses them.
 * @param onLeft called with the reason if a folder can't be deleted
 */
export async function clearBrowsers(dataDir: string, onLeft: (reason: string) => void): Promise<TemporaryFolders> {
  const { directory } = hostParents(dataDir);
  await killStrays(hostMarker, directory);
  await removeFolder(directory).catch((error: unknown) => onLeft(messageOf(error)));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return await openTemporaryFolders(dataDir);
}
