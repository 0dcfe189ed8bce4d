import { statSync } from 'node:fs';

/** Minimum time between two checks, in milliseconds. */
const everyMs = 1000;

/** Returns what identifies a file as long as it exists; undefined if there is none. Blocks the thread. */
export function fileIdentity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/**
 * Returns a function that throws while a file isn't where it was opened: SQLite would keep writing to a file that was
 * removed, and everything would be lost at the end. The error's code is FILE_MISSING.
 * @param identity of the file when it was opened
 */
export function createPlaceCheck(path: string, identity: string): () => void {
  let checkedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - checkedAt < everyMs) return;
    if (fileIdentity(path) !== identity)
      throw Object.assign(new Error(`The database file ${path} was removed or replaced.`), { code: 'FILE_MISSING' });
    checkedAt = performance.now();
  };
}
