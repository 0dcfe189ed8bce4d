import { totalmem } from 'node:os';

/** A machine with less has no room for a browser that nobody uses yet. */
const smallBytes = 3 * 1024 ** 3;

/** Returns the memory that this process may use, in bytes: that of its container, or of the machine. */
export function availableMemory(
  total = totalmem(),
  /** 0, or more than there is, where nothing limits it. */
  limit = process.constrainedMemory(),
): number {
  return limit > 0 ? Math.min(limit, total) : total;
}

/**
 * Returns how many spare browsers to keep: as many as configured, but none on a small machine or if others may wait for
 * them, unless more than the default is asked for.
 */
export function spareBrowsersFor(
  configured: number,
  byDefault: number,
  isQueued = false,
  memory = availableMemory(),
): number {
  return (isQueued || memory < smallBytes) && configured <= byDefault ? 0 : configured;
}

/** What a spare browser without a runner takes, in bytes, and the part of the memory that all together may take. */
const [spareBytes, spareShare] = [150 * 1024 ** 2, 1 / 16];

/** Returns how many spare browsers the memory has room for, beside all that it is needed for. */
export function roomForSpares(memory = availableMemory()): number {
  return Math.floor((memory * spareShare) / spareBytes);
}
