import type { JobAttempt } from 'pg-boss';
import { transaction } from '../../../../storage/storage.ts';
import { pause } from '../../clock.ts';
import { messageOf } from '../../errors.ts';
import type { Claim } from '../../job-queue.ts';
import type { Base } from '../../platform.ts';
import type { Database } from '../../storage/storage.ts';
import type { Fleet } from '../fleet.ts';
import type { Signals } from '../signals.ts';
import type { Boss, QueueName } from './boss.ts';

/** A job of a queue that several nodes work on. */
export interface SharedJob<Data extends object> {
  /** A UUID; random if missing. A queue has it once. */
  id?: string;
  /** Jobs with the same key: the queue's policy says how many of them there are. */
  key?: string;
  group: string;
  data: Data;
  /** Seconds until it is due, by the database's clock. */
  after?: number;
}

export interface SharedQueueOptions {
  name: QueueName;
  /** Jobs that a node takes at the same time, and how many more: only of groups that have none. */
  running: number;
  shares: number;
  /**
   * How many jobs of a group the nodes have at most when another is taken, tried one after another: small numbers first
   * have groups take turns. Undefined: any number.
   */
  perGroup: readonly (number | undefined)[];
  /** Whether the jobs are long, so that it matters that no node has many more than another. */
  spreads: boolean;
}

export interface SharedQueueParts extends Pick<Base, 'database' | 'clock' | 'log'> {
  boss: Boss;
  signals: Signals;
  fleet: Fleet;
}

interface Held {
  attempt: JobAttempt;
  stop: AbortController;
}

const touchMs = 3_000;
/** How often the queue is read without a signal. */
const pollMs = 2_000;
const retryMs = 5_000;
const jobsPerFetch = 4;
/** Jobs that are added in one transaction. */
const rowsAtATime = 500;
/** The more jobs a node has, the longer it waits before it takes another, so that a node with fewer takes it first. */
const hesitationMs = { perJob: 50, longest: 500 };

/** Creates this node's part of a queue in pg-boss. */
export function createSharedQueue<Data extends object>(
  { name, running, shares, perGroup, spreads }: SharedQueueOptions,
  { database, boss, signals, fleet, clock, log }: SharedQueueParts,
) {
  const held = new Map<string, Held>();
  /** Jobs that were this node's when it stopped, and may be still. */
  let left: JobAttempt[] = [];
  const closing = new AbortController();
  let handle: ((id: string, data: Data, claim: Claim) => Promise<void>) | undefined;
  /** Whether there are other nodes. */
  let isOneOfMany = false;
  let fetching: false | 'once' | 'again' = false;

  const works = () => handle !== undefined && !closing.signal.aborted && fleet.isActive() && !fleet.isDraining();

  /** Takes jobs as long as there are some and room for them. Never rejects. */
  async function pump(): Promise<void> {
    if (!works()) return;
    if (fetching) {
      fetching = 'again';
      return;
    }
    fetching = 'once';
    try {
      for (let more = true; more && works(); ) {
        fetching = 'once';
        const hesitation = Math.min(held.size * hesitationMs.perJob, hesitationMs.longest);
        if (spreads && isOneOfMany && hesitation > 0) await pause(hesitation, clock, closing.signal);
        more = (await fetchSome()) || (fetching as string) === 'again';
      }
    } catch (error) {
      if (!closing.signal.aborted)
        log.warn({ queue: name, reason: messageOf(error) }, 'jobs could not be taken from the queue');
    } finally {
      fetching = false;
    }
  }

  async function fetchSome(): Promise<boolean> {
    const free = running - held.size;
    if (free <= 0 && free + shares <= 0) return false;
    // Most queues are empty most of the time, and each level is a statement.
    if (!(await boss.hasWaiting(name))) return false;
    const most = spreads && isOneOfMany ? 1 : jobsPerFetch;
    for (const level of free > 0 ? perGroup : [1]) {
      if (!works()) return false;
      const jobs = await boss.fetch<Data>(name, Math.max(1, Math.min(free, most)), level);
      if (jobs.length === 0) continue;
      await note(jobs.map(({ id }) => id));
      for (const { id, retryCount, data } of jobs) begin({ id, retryCount }, data);
      return true;
    }
    return false;
  }

  /** Stores which jobs this node has, so that others take them as soon as it is dead. Never rejects: later they take them anyway. */
  async function note(ids: readonly string[]): Promise<void> {
    try {
      await database
        .insertInto('job_claim')
        .values(ids.map((id) => ({ queue: name, id, node: fleet.id })))
        .onConflict((conflict) => conflict.columns(['queue', 'id']).doUpdateSet({ node: fleet.id }))
        .execute();
    } catch (error) {
      log.debug({ queue: name, reason: messageOf(error) }, 'the node of a job could not be stored');
    }
  }

  async function forget(ids: readonly string[]): Promise<void> {
    await database
      .deleteFrom('job_claim')
      .where('queue', '=', name)
      .where('id', 'in', ids)
      .where('node', '=', fleet.id)
      .execute();
  }

  function begin(attempt: JobAttempt, data: Data): void {
    const own: Held = { attempt, stop: new AbortController() };
    if (!works()) return void left.push(attempt);
    // One of before, whose signs of life did not arrive.
    held.get(attempt.id)?.stop.abort(new Error('The job was handed out again.'));
    held.set(attempt.id, own);
    void run(own, data);
  }

  async function run(own: Held, data: Data): Promise<void> {
    const { attempt, stop } = own;
    const claim: Claim = {
      signal: stop.signal,
      holds: async (tx) => !stop.signal.aborted && (await boss.touch(name, [attempt], tx)).has(attempt.id),
    };
    let isDone = false;
    try {
      await handle?.(attempt.id, data, claim);
      isDone = !closing.signal.aborted;
    } catch (error) {
      if (!stop.signal.aborted && !closing.signal.aborted) {
        log.error({ job: attempt.id, reason: messageOf(error) }, 'a job could not be run: trying again');
        await pause(retryMs, clock, AbortSignal.any([stop.signal, closing.signal])).catch(() => undefined);
      }
    }
    await settle(own, isDone);
    if (held.get(attempt.id) === own) held.delete(attempt.id);
    void pump();
  }

  /** Stores that a job is done, or gives it back. Never rejects. */
  async function settle({ attempt, stop }: Held, isDone: boolean): Promise<void> {
    while (!stop.signal.aborted && !closing.signal.aborted) {
      try {
        if (isDone) {
          await boss.complete(name, attempt);
          return await forget([attempt.id]);
        }
        await boss.giveBack(name, [attempt]);
        return signals.sendSoon('work', name);
      } catch (error) {
        log.warn({ job: attempt.id, reason: messageOf(error) }, 'the end of a job could not be stored in its queue');
        await pause(retryMs, clock, AbortSignal.any([stop.signal, closing.signal])).catch(() => undefined);
      }
    }
    left.push(attempt);
  }

  async function touch(): Promise<void> {
    if (closing.signal.aborted) return;
    const before = [...held.values()];
    if (before.length > 0 && fleet.isActive()) {
      try {
        const mine = await boss.touch(
          name,
          before.map(({ attempt }) => attempt),
        );
        for (const own of before) {
          if (mine.has(own.attempt.id) || held.get(own.attempt.id) !== own) continue;
          own.stop.abort(new Error('Another node has the job.'));
        }
      } catch (error) {
        log.warn({ queue: name, reason: messageOf(error) }, 'the claims on jobs could not be renewed');
      }
    }
    clock.after(touchMs, () => void touch());
  }

  function poll(): void {
    if (closing.signal.aborted) return;
    if (fleet.isDraining()) for (const { stop } of held.values()) stop.abort(new Error('The node is about to stop.'));
    void giveBackLeft().finally(() => void pump());
    if (spreads) void countNodes();
    clock.after(pollMs, poll);
  }

  async function countNodes(): Promise<void> {
    try {
      isOneOfMany = (await fleet.nodes()).length > 1;
    } catch {
      // As before.
    }
  }

  /** Other nodes take those that can't be returned once their claims have expired. */
  async function giveBackLeft(): Promise<void> {
    if (left.length === 0 || !fleet.isActive()) return;
    const attempts = left;
    left = [];
    try {
      await boss.giveBack(name, attempts);
      signals.sendSoon('work', name);
    } catch (error) {
      left.push(...attempts);
      log.warn({ queue: name, reason: messageOf(error) }, 'jobs could not be returned to the queue');
    }
  }

  /** Adds jobs in the transaction that stores what they are about. */
  async function add(jobs: readonly SharedJob<Data>[], tx: Database): Promise<void> {
    if (jobs.length === 0) return;
    const rows = jobs.map(({ id, key, group, data, after }) => ({
      ...(id !== undefined && { id }),
      ...(key !== undefined && { singletonKey: key }),
      ...(after !== undefined && { startAfter: `${after} seconds` }),
      group: { id: group },
      data,
    }));
    if ((await boss.insert(name, rows, tx)) > 0) await signals.send('work', name, tx);
  }

  /** Never rejects. */
  async function addStored(stored: () => Promise<SharedJob<Data>[]>): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        const jobs = await stored();
        for (let index = 0; index < jobs.length && !closing.signal.aborted; index += rowsAtATime)
          await transaction(database, (tx) => add(jobs.slice(index, index + rowsAtATime), tx));
        return;
      } catch (error) {
        if (closing.signal.aborted) return;
        log.error({ queue: name, reason: messageOf(error) }, 'the stored jobs could not be read: trying again');
        await pause(retryMs, clock, closing.signal).catch(() => undefined);
      }
    }
  }

  fleet.onDead(async (node) => {
    // One node takes them away, once: a moment later, they may be those of a node that lives.
    await transaction(database, async (tx) => {
      const claims = tx.deleteFrom('job_claim').where('queue', '=', name).where('node', '=', node).returning('id');
      const taken = await claims.execute();
      await boss.takeAway(
        name,
        taken.map(({ id }) => id),
        tx,
      );
    });
    signals.sendSoon('work', name);
  });
  fleet.onActive((active) => {
    if (active) return void giveBackLeft().finally(() => void pump());
    for (const { stop } of held.values()) stop.abort(new Error('The database could not be reached for too long.'));
  });
  signals.on('work', (queue) => {
    if (queue === name) void pump();
  });
  signals.onGap(() => void pump());

  return {
    add,
    /** Forgets a job that is done, so that it can be added again. Returns false if it isn't done. */
    forgetDone: (id: string, tx: Database): Promise<boolean> => boss.forgetDone(name, id, tx),
    /**
     * Calls `handler` for each job; the job is done when it resolves.
     * @param stored returns the jobs that the queue should have: those that it lacks, such as those from before the database
     * was shared, are added
     */
    consume(
      handler: (id: string, data: Data, claim: Claim) => Promise<void>,
      stored: () => Promise<SharedJob<Data>[]>,
    ): void {
      if (handle || closing.signal.aborted) return;
      handle = handler;
      void touch();
      poll();
      void addStored(stored);
    },
    /** Jobs that this node has. */
    get held(): number {
      return held.size;
    },
    /** Stops taking jobs. */
    close: (): void => closing.abort(new Error('The service is stopping.')),
    /** Returns the jobs of this node to the queue. Call it when their handlers are done. */
    async giveBack(): Promise<void> {
      left.push(...[...held.values()].map(({ attempt }) => attempt));
      await giveBackLeft();
    },
  };
}
