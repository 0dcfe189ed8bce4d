import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small disk of its own, mounted at a temporary folder. */
export interface SmallDisk {
  readonly path: string;
  /** Writes a file until there is no room left. */
  fill(): void;
  /** Removes that file. */
  free(): void;
  /** Mounts it again, to be only read. Nothing may be open on it. */
  makeReadOnly(): void;
  remove(): void;
}

/** Mounts a disk of some megabytes; undefined where that isn't allowed. */
export function mountSmallDisk(megabytes: number): SmallDisk | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const path = mkdtempSync(join(tmpdir(), 'webdata-disk-'));
  const run = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
  if (!run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', path)) {
    rmSync(path, { recursive: true });
    return undefined;
  }
  const filler = join(path, 'filler');
  return {
    path,
    fill() {
      const file = openSync(filler, 'w');
      try {
        for (const size of [65_536, 4096]) {
          try {
            for (;;) writeSync(file, Buffer.alloc(size));
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          }
        }
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filler, { force: true }),
    makeReadOnly() {
      if (!run('mount', '-o', 'remount,ro', path)) throw new Error('The disk could not be mounted again.');
    },
    remove() {
      run('umount', '-l', path);
      rmSync(path, { recursive: true, force: true });
    },
  };
}
