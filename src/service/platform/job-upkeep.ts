import { pause } from './clock.ts';
import { messageOf } from './errors.ts';
import type { Base } from './platform.ts';

export interface UpkeepParts extends Pick<Base, 'clock' | 'log'> {
  /** Aborts when the service stops. */
  closing: AbortSignal;
}

/** Waits between attempts to store what must not be lost. */
const storeRetryMs = { first: 1000, longest: 30_000 };
/** Waits between removals of what has expired. Every job is kept for longer than the longest one. */
const purgeIntervalMs = { first: 1000, longest: 60 * 60 * 1000 };

/**
 * Retries until something is stored: a full disk may have room again. Returns what `store` does, or undefined if the service
 * stops before.
 */
export async function storeAtLast<Result>(
  store: () => Promise<Result>,
  failed: (reason: string) => void,
  { clock, closing }: Pick<UpkeepParts, 'clock' | 'closing'>,
): Promise<Result | undefined> {
  for (let waitMs = storeRetryMs.first; !closing.aborted; waitMs = Math.min(waitMs * 2, storeRetryMs.longest)) {
    try {
      return await store();
    } catch (failure) {
      failed(messageOf(failure));
      await pause(waitMs, clock, closing).catch(() => undefined);
    }
  }
  return undefined;
}

/** Stores the end of a job in the same way. */
export async function storeEnd<Result>(
  jobId: string,
  store: () => Promise<Result>,
  parts: UpkeepParts,
): Promise<Result | undefined> {
  const failed = (reason: string) => parts.log.error({ job: jobId, reason }, 'the end of a job could not be stored');
  return await storeAtLast(store, failed, parts);
}

/**
 * Removes what has expired, now and at least every hour, until the service stops. Never rejects.
 * @param remove returns the milliseconds until something expires, if it knows
 */
export async function purgeRegularly(
  remove: () => Promise<number | undefined>,
  { clock, log, closing }: UpkeepParts,
): Promise<void> {
  while (!closing.aborted) {
    let waitMs: number | undefined;
    try {
      waitMs = await remove();
    } catch (error) {
      // The database may be closed already.
      if (closing.aborted) return;
      log.warn({ reason: messageOf(error) }, 'expired data could not be removed');
    }
    const { first, longest } = purgeIntervalMs;
    await pause(Math.min(longest, Math.max(first, waitMs ?? longest)), clock, closing).catch(() => undefined);
  }
}

/**
 * Removes rows in batches, so that other work gets its turn, until none is left or the service stops.
 * @param remove returns how many rows it has removed
 */
export async function removeInChunks(remove: () => Promise<number>, closing: AbortSignal): Promise<void> {
  while (!closing.aborted && (await remove()) > 0) await new Promise(setImmediate);
}
