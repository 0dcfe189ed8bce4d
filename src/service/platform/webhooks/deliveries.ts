import { afterCommit } from '../../../storage/storage.ts';
import { messageOf } from '../errors.ts';
import type { JobEvents } from '../job-events.ts';
import { getOrAdd } from '../maps.ts';
import { type AttemptParts, createAttempts } from './attempts.ts';
import type { Delivery, DeliveryTable, Receiver, WaitingJob } from './delivery-table.ts';
import { newDeliveries } from './new-deliveries.ts';

/** Delivers the events of jobs to the receivers that their webhooks name. */
export interface Deliveries extends JobEvents {
  /** Starts sending, including what an earlier service left. Until then, deliveries are only stored. */
  start(): void;
  /** Stops sending. The next service resends attempts in flight, under the same id. */
  close(): Promise<void>;
}

export interface DeliveriesOptions extends AttemptParts {
  table: DeliveryTable;
}

/** Attempts to one receiver of a team. Each has its own limits, so that a slow one delays no other, and no other team. */
interface Target extends Receiver {
  /** Jobs that may have first attempts to make; true while one is in progress. */
  jobs: Map<string, boolean>;
  retrying: Set<number>;
  /** Whether deliveries that wait are being read, and whether to look again then. */
  pumping: boolean;
  pumpAgain: boolean;
}

/** Jobs that send first attempts to one receiver at the same time; each job sends one at a time, to keep their order. */
const jobsAtATime = 4;
const retriesAtATime = 4;
/** How long to wait before deliveries that could not be read are read again. */
const readRetryMs = 5_000;
/** Longest wait before the clock is checked again, in case it was changed or the machine slept. */
const longestWaitMs = 60_000;

export function createDeliveries({ table, ...parts }: DeliveriesOptions): Deliveries {
  const { retryMs, clock, log } = parts;
  const makeAttempt = createAttempts(parts);
  const targets = new Map<string, Target>();
  const stop = new AbortController();
  const longestRetryMs = Math.max(0, ...retryMs);
  let started = false;
  let cancelTimer = () => {};

  function targetOf({ team, url }: Receiver): Target {
    const fresh = () => ({ team, url, jobs: new Map(), retrying: new Set<number>(), pumping: false, pumpAgain: false });
    return getOrAdd(targets, keyOf({ team, url }), fresh);
  }

  function addJob({ jobId, team, url }: WaitingJob): void {
    const { jobs } = targetOf({ team, url });
    if (!jobs.has(jobId)) jobs.set(jobId, false);
  }

  /** Begins the attempts that are possible now. Never rejects. */
  async function pump(receiver: Receiver): Promise<void> {
    const target = targetOf(receiver);
    if (!started || stop.signal.aborted) return;
    if (target.pumping) {
      target.pumpAgain = true;
      return;
    }
    target.pumping = true;
    do {
      target.pumpAgain = false;
      try {
        await beginFirstAttempts(target);
        await beginRetries(target);
      } catch (error) {
        if (stop.signal.aborted) break;
        log.error({ reason: messageOf(error) }, 'the deliveries that wait could not be read');
        cancelTimer();
        cancelTimer = clock.after(readRetryMs, () => void wake([...targets.values()]));
      }
    } while (target.pumpAgain && !stop.signal.aborted);
    target.pumping = false;
    if (target.jobs.size === 0 && target.retrying.size === 0) targets.delete(keyOf(target));
  }

  async function beginFirstAttempts(target: Target): Promise<void> {
    const { jobs } = target;
    for (const [jobId, busy] of [...jobs]) {
      if (busy) continue;
      if ([...jobs.values()].filter(Boolean).length >= jobsAtATime) break;
      // Busy from here on, so that a delivery stored meanwhile is looked for again.
      jobs.delete(jobId);
      const delivery = await table.next(jobId).catch((error: unknown) => {
        jobs.set(jobId, false);
        throw error;
      });
      if (stop.signal.aborted) return;
      if (!delivery) continue;
      jobs.set(jobId, true);
      void attempt(delivery).finally(() => {
        // To the back of the queue, so that jobs take turns.
        jobs.delete(jobId);
        jobs.set(jobId, false);
        void pump(target);
      });
    }
  }

  async function beginRetries(target: Target): Promise<void> {
    const { retrying } = target;
    const free = retriesAtATime - retrying.size;
    const due = free > 0 ? await table.due(target, dueWindow(), retriesAtATime * 2) : [];
    for (const num of due.filter((one) => !retrying.has(one)).slice(0, free)) {
      const delivery = await table.get(num);
      if (stop.signal.aborted) return;
      if (!delivery) continue;
      retrying.add(num);
      void attempt(delivery).finally(() => {
        retrying.delete(num);
        void pump(target);
      });
    }
  }

  async function attempt(delivery: Delivery): Promise<void> {
    await makeAttempt(delivery, stop.signal, async (_outcome, retryAt) => {
      if (retryAt === undefined) await table.remove(delivery.num);
      else {
        await table.retryAt(delivery.num, retryAt);
        void wake();
      }
      return true;
    });
  }

  function dueWindow() {
    const now = clock.now();
    return { now, furthest: now + longestRetryMs };
  }

  async function setTimer(): Promise<void> {
    const due = await table.nextDue(clock.now());
    if (due === undefined || stop.signal.aborted) return;
    cancelTimer();
    cancelTimer = clock.after(Math.min(Math.max(1, due - clock.now()), longestWaitMs), () => void wake());
  }

  /** Begins the retries that are due, and attempts to these receivers. Never rejects. */
  async function wake(receivers: readonly Receiver[] = []): Promise<void> {
    try {
      for (const receiver of [...receivers, ...(await table.dueReceivers(dueWindow()))]) void pump(receiver);
      await setTimer();
    } catch (error) {
      if (stop.signal.aborted) return;
      log.error({ reason: messageOf(error) }, 'the retries that are due could not be read');
      cancelTimer();
      cancelTimer = clock.after(readRetryMs, () => void wake(receivers));
    }
  }

  /** Begins what an earlier service left. Never rejects. */
  async function resume(): Promise<void> {
    try {
      for (const job of await table.jobs()) addJob(job);
    } catch (error) {
      if (stop.signal.aborted) return;
      log.error({ reason: messageOf(error) }, 'the deliveries that wait could not be read');
      clock.after(readRetryMs, () => void resume());
    }
    await wake([...targets.values()]);
  }

  return {
    async emit(occurred, tx) {
      const rows = await newDeliveries(occurred, clock.now());
      if (rows.length === 0) return;
      await table.insert(rows, tx);
      afterCommit(tx, () => {
        if (stop.signal.aborted) return;
        for (const row of rows) addJob(row);
        for (const row of rows) void pump(row);
      });
    },
    start() {
      if (started || stop.signal.aborted) return;
      started = true;
      void resume();
    },
    async close() {
      stop.abort();
      cancelTimer();
    },
  };
}

const keyOf = ({ team, url }: Receiver) => `${team}\n${url}`;
