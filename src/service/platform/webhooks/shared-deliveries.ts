import { createHash } from 'node:crypto';
import { transaction } from '../../../storage/storage.ts';
import { pause } from '../clock.ts';
import type { SharedJobs } from '../fleet/jobs/shared-jobs.ts';
import type { Claim } from '../job-queue.ts';
import { type Database, lockAlone, lockTogether } from '../storage/storage.ts';
import { createAttempts } from './attempts.ts';
import type { Deliveries, DeliveriesOptions } from './deliveries.ts';
import type { Delivery, Receiver, WaitingJob } from './delivery-table.ts';
import { newDeliveries } from './new-deliveries.ts';

/** Jobs whose first attempts, and retries, all nodes together send to one receiver of a team at the same time. */
const perReceiver = 4;
/** What one node sends at the same time. */
const sending = 32;
/** First attempts of a job that a node makes in a row; then it is another job's turn. */
const turn = 50;
/** How long to wait for a transaction that adds a delivery. */
const emittingMs = 50;

/**
 * Delivers the events of jobs from several nodes. A job of the queue `delivery` stands for the deliveries of one crawl that
 * wait for their first attempt: the node that has it sends them in order, one at a time. Each retry is a job of its own.
 */
export function createSharedDeliveries({
  table,
  shared,
  database,
  ...parts
}: DeliveriesOptions & { shared: SharedJobs; database: Database }): Deliveries {
  const { clock } = parts;
  const makeAttempt = createAttempts(parts);
  const limits = { running: sending, shares: 0, perGroup: [perReceiver], spreads: false };
  const firsts = shared.createQueue<WaitingJob>({ name: 'delivery', ...limits });
  const retries = shared.createQueue<{ num: number; attempts: number }>({ name: 'retry', ...limits });
  const stop = new AbortController();
  let started = false;

  const mayWork = (claim: Claim) => !stop.signal.aborted && !claim.signal.aborted && shared.fleet.isActive();
  const firstsOf = (waiting: readonly WaitingJob[]) =>
    waiting.map(({ jobId, team, url }) => ({ key: jobId, group: groupOf({ team, url }), data: { jobId, team, url } }));
  type Retry = Pick<Delivery, 'num' | 'id' | 'team' | 'url' | 'attempts'>;
  const retryOf = ({ num, id, attempts, ...receiver }: Retry, waitMs: number) => ({
    key: `${id}:${attempts}`,
    group: groupOf(receiver),
    data: { num, attempts },
    after: Math.max(0, waitMs) / 1000,
  });

  /** Makes the first attempts of a job, in order. */
  async function sendFirsts(job: WaitingJob, claim: Claim): Promise<void> {
    for (let made = 0; ; made++) {
      if (made === turn) return await transaction(database, (tx) => firsts.add(firstsOf([job]), tx));
      const delivery = await table.next(job.jobId);
      if (delivery) await attempt(delivery, claim);
      else if (await areAllSent(job.jobId)) return;
      else await pause(emittingMs, clock, AbortSignal.any([stop.signal, claim.signal]));
    }
  }

  /**
   * Whether no first attempt of a job is left. Not while a transaction adds one: it found this job of the queue waiting, so
   * that it added no other.
   */
  async function areAllSent(jobId: string): Promise<boolean> {
    return await transaction(
      database,
      async (tx) => (await lockAlone(tx, jobId)) && !(await table.hasFirst(jobId, tx)),
    );
  }

  async function sendRetry({ num, attempts }: { num: number; attempts: number }, claim: Claim): Promise<void> {
    const delivery = await table.get(num);
    // An earlier node may have made this attempt, and ended before it could say so.
    if (delivery?.attempts === attempts) await attempt(delivery, claim);
  }

  /** Throws if this node may not go on, so that the job isn't taken for done. */
  async function attempt(delivery: Delivery, claim: Claim): Promise<void> {
    const { num, attempts } = delivery;
    const over = AbortSignal.any([stop.signal, claim.signal]);
    const isMade =
      mayWork(claim) &&
      (await makeAttempt(delivery, over, async (outcome, retryAt) => {
        // Wherever it is taken up again, it has arrived.
        if (outcome === 'acknowledged') {
          await table.remove(num);
          return true;
        }
        return await transaction(database, async (tx) => {
          if (!(await claim.holds(tx))) return false;
          if (retryAt === undefined) await table.remove(num, tx);
          else {
            await table.retryAt(num, retryAt, tx);
            await retries.add([retryOf({ ...delivery, attempts: attempts + 1 }, retryAt - clock.now())], tx);
          }
          return true;
        });
      }));
    if (!isMade) throw new Error('The node has stopped its deliveries.');
  }

  return {
    async emit(occurred, tx) {
      const rows = await newDeliveries(occurred, clock.now());
      if (rows.length === 0) return;
      const byJob = new Map(rows.map((row) => [row.jobId, row]));
      await lockTogether(tx, [...byJob.keys()]);
      await table.insert(rows, tx);
      await firsts.add(firstsOf([...byJob.values()]), tx);
    },
    start() {
      if (started || stop.signal.aborted) return;
      started = true;
      firsts.consume(
        (_id, data, claim) => sendFirsts(data, claim),
        async () => firstsOf(await table.jobs()),
      );
      retries.consume(
        (_id, data, claim) => sendRetry(data, claim),
        async () => (await table.waitingRetries()).map((each) => retryOf(each, each.dueAt - clock.now())),
      );
    },
    async close() {
      firsts.close();
      retries.close();
      stop.abort();
      await Promise.all([firsts.giveBack(), retries.giveBack()]).catch(() => undefined);
    },
  };
}

/** Receivers have URLs of any length. */
function groupOf({ team, url }: Receiver): string {
  return createHash('sha256').update(`${team}\n${url}`).digest('base64url');
}
