import { createHash, randomBytes } from 'node:crypto';
import { rmdirSync } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../platform/system/rename.ts';

/** The temporary files of a service's browsers: a killed browser leaves some, and in the system's folder nobody would delete them. */
export type TemporaryFolders = Awaited<ReturnType<typeof openTemporaryFolders>>;

/** Chrome puts a socket below this folder, and the path of a socket has at most 103 bytes on macOS. */
const maxFolderBytes = 55;

/** The system's folder, and one whose path is short: that of macOS is too long for sockets. */
const usualParents = process.platform === 'win32' ? [tmpdir()] : [tmpdir(), '/tmp'];

/** Deletes what earlier services on the data directory left. The caller holds the lock of the data directory. */
export async function openTemporaryFolders(dataDir: string, parents: readonly string[] = usualParents) {
  const base = await firstUsable(parents, dataDir);
  return {
    /** Creates a folder for one browser; undefined if it has to use the system's. */
    async create() {
      if (base === undefined) return undefined;
      const folder = join(base, randomBytes(3).toString('hex'));
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
      } catch {
        return undefined;
      }
      return {
        path: folder,
        /** Variables that make the browser use it. */
        environment: { TMPDIR: folder, TMP: folder, TEMP: folder },
        /** Deletes it; failures are ignored, since the next service deletes it as well. */
        remove: (): Promise<void> => removeFolder(folder).catch(() => undefined),
      };
    },
    close(): void {
      if (base === undefined) return;
      try {
        rmdirSync(base);
      } catch {
        // A browser is still exiting; the next service deletes its files.
      }
    },
  };
}

/** Creates the folder of a service's browsers in the first parent that has room for the paths of sockets. */
async function firstUsable(parents: readonly string[], dataDir: string): Promise<string | undefined> {
  const owner = process.getuid?.() ?? '';
  const digest = createHash('sha256').update(dataDir).digest('hex').slice(0, 8);
  for (const parent of parents) {
    const folder = join(parent, `webdata-${owner}-${digest}`);
    if (Buffer.byteLength(join(folder, 'xxxxxx')) <= maxFolderBytes && (await claim(folder))) return folder;
  }
  return undefined;
}

/** Makes a folder this user's own. Returns false if another user has it: the parent may be shared. */
async function claim(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const stats = await lstat(folder);
    if (!stats.isDirectory() || (process.getuid && stats.uid !== process.getuid())) return false;
    await removeFolder(folder);
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch {
    return false;
  }
}
