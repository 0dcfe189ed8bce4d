import { mkdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that has held a lock for longer was killed, in milliseconds. */
const staleMs = 10 * 60_000;

/** Does what only one process may do at a time, such as writing a folder: test files run side by side. @param lock path of a folder that exists meanwhile */
export async function oneAtATime<Result>(lock: string, work: () => Promise<Result>): Promise<Result> {
  mkdirSync(dirname(lock), { recursive: true });
  while (!isTaken(lock)) await sleep(100);
  try {
    return await work();
  } finally {
    rmdirSync(lock);
  }
}

function isTaken(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > staleMs) rmdirSync(lock);
    return false;
  }
}
