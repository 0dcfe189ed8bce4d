import { randomUUID } from 'node:crypto';
import { transaction } from '../../../storage/storage.ts';
import { createTurn } from '../../platform/async.ts';
import { messageOf } from '../../platform/errors.ts';
import type { JobQueue } from '../../platform/job-queue.ts';
import type { Platform } from '../../platform/platform.ts';
import { type CheckRow, findCheck, findMonitor, type MonitorRow } from './monitor-table.ts';
import { nextRun } from './schedule.ts';

type SchedulerParts = Pick<Platform, 'database' | 'clock' | 'log'> & { queue: Pick<JobQueue, 'push'> };

/** Starts the checks that are due: one timer for all monitors. */
export type Scheduler = ReturnType<typeof createScheduler>;

/** The longest time between looks: while a machine sleeps, its timers may stop, and another node may add monitors. */
const longestMs = 60_000;
const shortestMs = 1_000;
const rowsAtATime = 100;
/** Of a monitor, what decides when it is due: its targets may be long. */
const columns = ['id', 'team', 'cron', 'timezone', 'next_run_at', 'retention_days', 'failures'] as const;
/** A wall clock that goes back by more has been set. */
const jumpMs = 5_000;
const dayMs = 24 * 60 * 60_000;

export function createScheduler({ database, queue, clock, log }: SchedulerParts) {
  let cancel = () => {};
  let closed = true;
  let looking: Promise<void> | undefined;
  /** Monitors whose schedules can't be read here, until one is changed. */
  const unreadable = new Set<string>();
  /** Those of which that has been logged. */
  const logged = new Set<string>();
  /** PostgreSQL has no empty lists. */
  const unread = () => ['', ...unreadable];
  /** Wall clock less monotonic clock. */
  let offset = Number.POSITIVE_INFINITY;

  const due = (now: number) =>
    database
      .selectFrom('monitor')
      .select(columns)
      .where('next_run_at', '<=', now)
      .where('status', '=', 'active')
      .where('id', 'not in', unread())
      .orderBy('next_run_at')
      .limit(rowsAtATime);

  /** Returns when a monitor is due next; null: never. Undefined if that can't be read here: another node may know its time zone. */
  function nextOf(monitor: Pick<MonitorRow, (typeof columns)[number]>, now: number): number | null | undefined {
    try {
      const next = nextRun(monitor, now) ?? null;
      logged.delete(monitor.id);
      return next;
    } catch (error) {
      if (!logged.has(monitor.id))
        log.error(
          { monitor: monitor.id, reason: messageOf(error) },
          'the schedule of a monitor is unreadable: it waits',
        );
      logged.add(monitor.id);
      unreadable.add(monitor.id);
      return undefined;
    }
  }

  /** After the clock was set back, monitors that ran in its future would wait until then. */
  async function realign(now: number): Promise<void> {
    const turn = createTurn();
    for (let after = ''; ; ) {
      const rows = await database
        .selectFrom('monitor')
        .select(columns)
        .where('next_run_at', '>', now)
        .where('id', '>', after)
        .orderBy('id')
        .limit(rowsAtATime)
        .execute();
      for (const monitor of rows) {
        if (turn.isOver) await turn.end();
        const next = nextOf(monitor, now);
        // Not earlier than a failed one is meant to wait.
        const kept = monitor.failures > 0 ? now + dayMs : (next ?? now);
        if (next === undefined || next === null || (monitor.next_run_at ?? 0) <= kept) continue;
        await database
          .updateTable('monitor')
          .set({ next_run_at: next })
          .where('id', '=', monitor.id)
          .where('next_run_at', '=', monitor.next_run_at)
          .execute();
      }
      const last = rows.at(-1);
      if (!last || rows.length < rowsAtATime) return;
      after = last.id;
    }
  }

  /** Starts a check, unless one is in progress. Returns it. */
  async function begin(
    monitor: Pick<MonitorRow, (typeof columns)[number]>,
    cause: CheckRow['cause'],
  ): Promise<CheckRow | undefined> {
    const now = clock.now();
    return await transaction(database, async (tx) => {
      if (cause === 'scheduled') {
        const next = nextOf(monitor, now);
        if (next === undefined) return undefined;
        // Of several nodes, one changes the row.
        const changed = await tx
          .updateTable('monitor')
          .set({ next_run_at: next })
          .where('id', '=', monitor.id)
          .where('next_run_at', '=', monitor.next_run_at)
          .where('status', '=', 'active')
          .returning('id')
          .execute();
        if (changed.length === 0) return undefined;
      }
      const id = randomUUID();
      const free = await tx
        .updateTable('monitor')
        .set({ current_check: id })
        .where('id', '=', monitor.id)
        .where('current_check', 'is', null)
        .returning('id')
        .execute();
      if (free.length === 0) {
        const current = (await findMonitor(tx, monitor.id))?.current_check;
        return current ? await findCheck(tx, current) : undefined;
      }
      await tx
        .insertInto('monitor_check')
        .values({
          id,
          monitor: monitor.id,
          team: monitor.team,
          status: 'queued',
          cause,
          created_at: now,
          scheduled_for: cause === 'scheduled' ? monitor.next_run_at : null,
          expires_at: now + monitor.retention_days * dayMs,
        })
        .execute();
      await queue.push({ id, team: monitor.team }, tx);
      return await findCheck(tx, id);
    });
  }

  /** Begins what is due. Returns the milliseconds until it is to look again. */
  async function lookOnce(): Promise<number> {
    const now = clock.now();
    const before = offset;
    offset = now - clock.monotonic();
    // Also at the start: what happened before isn't known.
    if (before - offset > jumpMs) await realign(now);
    for (const monitor of await due(now).execute()) if (!closed) await begin(monitor, 'scheduled');
    const [next] = await database
      .selectFrom('monitor')
      .select('next_run_at')
      .where('next_run_at', 'is not', null)
      .where('status', '=', 'active')
      .where('id', 'not in', unread())
      .orderBy('next_run_at')
      .limit(1)
      .execute();
    return Math.min(longestMs, Math.max(shortestMs, (next?.next_run_at ?? Number.POSITIVE_INFINITY) - clock.now()));
  }

  function look(): void {
    cancel();
    if (closed) return;
    const after = (ms: number) => {
      cancel();
      if (!closed) cancel = clock.after(ms, look);
    };
    looking ??= lookOnce()
      .then(after, (error: unknown) => {
        log.warn({ reason: messageOf(error) }, 'the monitors that are due could not be started: trying again');
        after(longestMs);
      })
      .finally(() => {
        looking = undefined;
      });
  }

  return {
    /** Starts what fell due, once for each monitor, and from then on what falls due. */
    start(): void {
      closed = false;
      look();
    },
    /** Looks again: a monitor is due at another time. */
    changed(): void {
      unreadable.clear();
      if (looking) void looking.then(look);
      else look();
    },
    begin,
    close(): void {
      closed = true;
      cancel();
    },
  };
}
