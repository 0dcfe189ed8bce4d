import { limits } from '../../../contract/limits.ts';
import { signatureOf } from '../../../contract/webhooks/webhook-signature.ts';
import { workingFor } from '../asker.ts';
import { storeAtLast } from '../job-upkeep.ts';
import { keepLast } from '../maps.ts';
import type { Base } from '../platform.ts';
import type { Delivery } from './delivery-table.ts';
import type { Outcome, Post } from './post.ts';

export interface AttemptParts extends Pick<Base, 'clock' | 'log'> {
  post: Post;
  /** Returns the secret that signs a team's deliveries; undefined if they carry no signature. */
  secretOf(team: string): string | undefined;
  /** Milliseconds from each failed attempt to the next, one entry per retry. */
  retryMs: readonly number[];
  timeoutMs: number;
  /** Called when the outcome of an attempt is stored. */
  onAttempt?(outcome: AttemptOutcome): void;
}

/** How long a receiver that acknowledges nothing gets what waits for it, in milliseconds, and how many receivers are known. */
const patienceMs = limits.webhookAge * 1000;
const maxReceivers = 1000;

export type AttemptOutcome = 'acknowledged' | 'retried' | 'given_up';

/** Returns a function that makes attempts. */
export function createAttempts({ post, secretOf, retryMs, timeoutMs, onAttempt, clock, log }: AttemptParts) {
  /** Since when receivers have acknowledged nothing, in monotonic milliseconds. */
  const failing = new Map<string, number>();

  /** Whether a delivery has waited too long for its first attempt: one after another, each would wait for its receiver. */
  function isTooOld({ url, attempts, createdAt }: Delivery): boolean {
    const since = failing.get(url) ?? Number.POSITIVE_INFINITY;
    return attempts === 0 && clock.monotonic() - since > patienceMs && clock.now() - createdAt > patienceMs;
  }

  /**
   * Makes an attempt and stores its outcome, as often as it takes: a disk may be full, or a database unreachable for a while.
   * Returns false if it was stopped before, or `store` says that another node has the delivery: the attempt is made again.
   * @param store removes the delivery, or stores when it is retried, in milliseconds since 1970
   */
  return async (
    delivery: Delivery,
    stop: AbortSignal,
    store: (outcome: AttemptOutcome, retryAt?: number) => Promise<boolean>,
  ): Promise<boolean> => {
    const { id, team, jobId, type, url, headers, attempts } = delivery;
    const body = Buffer.from(delivery.body);
    const secret = secretOf(team);
    const signature = secret === undefined ? undefined : signatureOf(body, secret);
    const tooOld = isTooOld(delivery);
    const result: Outcome = tooOld
      ? { acknowledged: false, reason: 'the receiver has acknowledged nothing for a day' }
      : await workingFor({ team, work: url }, () => post({ url, headers, body, signature, timeoutMs, stop }));
    if ('stopped' in result) return false;
    if (result.acknowledged) failing.delete(url);
    else if (!failing.has(url)) keepLast(failing, url, clock.monotonic(), maxReceivers);
    const waitMs = result.acknowledged || tooOld ? undefined : retryMs[attempts];
    const outcome = result.acknowledged ? 'acknowledged' : waitMs === undefined ? 'given_up' : 'retried';
    const isStored = await storeAtLast(
      () => store(outcome, waitMs === undefined ? undefined : clock.now() + waitMs),
      (reason) => log.error({ delivery: id, reason }, 'the outcome of a delivery could not be stored'),
      { clock, closing: stop },
    );
    if (!isStored) return false;
    if (!result.acknowledged) {
      const details = { delivery: id, job: jobId, type, attempt: attempts + 1, reason: result.reason };
      if (waitMs === undefined)
        log.warn(details, 'a webhook delivery failed: its receiver did not acknowledge any attempt');
      else log.info({ ...details, retryInSeconds: waitMs / 1000 }, 'a webhook delivery was not acknowledged');
    }
    onAttempt?.(outcome);
    return true;
  };
}
