import { statSync } from 'node:fs';

/** Minimum time between two checks, in milliseconds. */
const everyMs = 1000;

/** Returns what identifies a file as long as it exists; undefined if there is none. Blocks the thread. */
function fileIdentity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** Where a file was when it was opened, for all threads that use it. */
export interface FilePlace {
  identity: string;
  /** How often a check has failed, in shared memory: after one, no other thread relies on an earlier check. */
  failures: Int32Array;
}

/** Returns the place of a file that exists; undefined if there is none. Blocks the thread. */
export function placeOf(path: string): FilePlace | undefined {
  const identity = fileIdentity(path);
  return identity === undefined ? undefined : { identity, failures: new Int32Array(new SharedArrayBuffer(4)) };
}

/**
 * Returns a function that throws while a file isn't where it was opened: SQLite would keep writing to a file that was
 * removed, and everything would be lost at the end. The error's code is FILE_MISSING.
 * @param now the time in milliseconds
 */
export function createPlaceCheck(
  path: string,
  { identity, failures }: FilePlace,
  now: () => number = () => performance.now(),
): () => void {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let knownFailures = 0;
  return () => {
    const failed = Atomics.load(failures, 0);
    if (failed === knownFailures && now() - checkedAt < everyMs) return;
    if (fileIdentity(path) !== identity) {
      Atomics.add(failures, 0, 1);
      throw Object.assign(new Error(`The database file ${path} was removed or replaced.`), { code: 'FILE_MISSING' });
    }
    checkedAt = now();
    knownFailures = failed;
  };
}
