import { randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type {
  Monitor,
  MonitorCheck,
  MonitorSummary,
  MonitorTarget,
  UpdateMonitorBody,
} from '../../../contract/monitors.ts';
import { scrapeOptions } from '../../../contract/scrape/scrape.ts';
import { transaction } from '../../../storage/storage.ts';
import { inTurns } from '../../platform/async.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import type { SharedJobs } from '../../platform/fleet/jobs/shared-jobs.ts';
import { type Handlers, JsonText } from '../../platform/http/bind.ts';
import { openJobQueue } from '../../platform/job-queue.ts';
import { purgeRegularly, removeInChunks } from '../../platform/job-upkeep.ts';
import type { Log } from '../../platform/log.ts';
import { withDocuments } from '../crawl/job-state.ts';
import { creditsOfResults } from '../search/handlers.ts';
import { type CheckParts, runCheck } from './checks.ts';
import { cancelCrawls } from './crawl-target.ts';
import {
  type CheckRow,
  findCheck,
  findMonitor,
  hasRoom,
  type MonitorRow,
  monitorsOf,
  pagesOf,
  removeExpired,
  removeMonitor,
  targetsOf,
} from './monitor-table.ts';
import { nextRun, scheduleOf } from './schedule.ts';
import { createScheduler } from './scheduler.ts';

export interface MonitorParts extends Omit<CheckParts, 'closing'> {
  /** Throws when the service can't scrape any page with these options. */
  checkOptions(options: NonNullable<MonitorTarget['scrapeOptions']>, team: string): void;
  shared?: SharedJobs | undefined;
  log: Log;
}

const checksAtATime = 5;
/** Rows that are removed at a time: nobody else can store anything meanwhile. */
const purgeChunk = 200;

/** Pages that are read on a schedule, and compared. */
export function openMonitors(parts: MonitorParts) {
  const { database, clock, log } = parts;
  const closing = new AbortController();
  const queued = database
    .selectFrom('monitor_check')
    .select(['id', 'team'])
    .where('status', '=', 'queued')
    .orderBy('num');
  const queue = openJobQueue({ kind: 'monitor', stored: () => queued.execute(), maxRunning: checksAtATime }, parts);
  const scheduler = createScheduler({ database, queue, clock, log });
  const running = new Set<Promise<void>>();
  const purge = async () => {
    await removeInChunks(() => removeExpired(database, clock.now(), purgeChunk), closing.signal);
    return undefined;
  };
  /** Removes what deleted monitors found, one after the other. */
  let purging: Promise<unknown> = Promise.resolve();

  async function find(id: string, team: string): Promise<MonitorRow> {
    const found = await findMonitor(database, id);
    if (!found) throw new ServiceError(404, 'Monitor not found.');
    if (found.team !== team) throw new ServiceError(403, 'You are not allowed to access this resource.');
    return found;
  }

  /** Returns targets with IDs and the options that they leave out. */
  function complete(targets: readonly MonitorTarget[], team: string): string {
    const all = targets.map((target) => {
      const id = target.id ?? randomUUID();
      // Without options, results of a search are not read.
      if (target.type === 'search' && !target.scrapeOptions) return { ...target, id };
      const options = target.scrapeOptions ?? scrapeOptions.parse({});
      parts.checkOptions(options, team);
      return { ...target, id, scrapeOptions: options };
    });
    return JSON.stringify(all);
  }

  function changesOf(body: UpdateMonitorBody, monitor: MonitorRow) {
    const { name, status = monitor.status, schedule, targets, webhook, retentionDays, goal, judgeEnabled } = body;
    const timing = schedule ? scheduleOf(schedule) : { cron: monitor.cron, timezone: monitor.timezone };
    const isDueAnew = schedule !== undefined || status !== monitor.status;
    return {
      ...timing,
      status,
      ...(isDueAnew && { next_run_at: status === 'active' ? (nextRun(timing, clock.now()) ?? null) : null }),
      ...(name !== undefined && { name }),
      ...(targets && { targets: complete(targets, monitor.team) }),
      ...(webhook !== undefined && { webhook: webhook && JSON.stringify(webhook) }),
      ...(retentionDays !== undefined && { retention_days: retentionDays }),
      ...(goal !== undefined && { goal }),
      ...(judgeEnabled !== undefined && { judge: Number(judgeEnabled) }),
      updated_at: clock.now(),
    };
  }

  const handlers = {
    async createMonitor({ body }, { caller }) {
      const { team, keyLabel } = caller;
      const now = clock.now();
      const timing = scheduleOf(body.schedule);
      const row = {
        id: randomUUID(),
        team,
        key_label: keyLabel,
        name: body.name,
        status: 'active' as const,
        ...timing,
        targets: complete(body.targets, team),
        webhook: body.webhook ? JSON.stringify(body.webhook) : null,
        goal: body.goal ?? null,
        judge: Number(body.judgeEnabled ?? true),
        retention_days: body.retentionDays ?? limits.monitors.retentionDays.default,
        next_run_at: nextRun(timing, now) ?? null,
        last_run_at: null,
        current_check: null,
        last_summary: null,
        failures: 0,
        created_at: now,
        updated_at: now,
      };
      await transaction(database, async (tx) => {
        if (!(await hasRoom(tx, team))) {
          throw new ServiceError(
            409,
            `The team already has ${limits.monitors.count} monitors. Delete one that is no longer used.`,
            {
              code: 'CONFLICT',
            },
          );
        }
        await tx.insertInto('monitor').values(row).execute();
      });
      scheduler.changed();
      return { success: true, data: shownMonitor(row) };
    },
    async listMonitors({ query }, { caller, baseUrl }) {
      const { limit, offset } = query;
      const { rows, more } = await monitorsOf(database, caller.team, { limit, skip: offset });
      const data: Monitor[] = [];
      await inTurns(rows, (row) => data.push(shownMonitor(row)));
      const of = new URLSearchParams({ limit: `${limit}`, offset: `${offset + data.length}` });
      return { success: true, data, next: more ? `${baseUrl}/v2/monitor?${of}` : null };
    },
    getMonitor: async ({ params }, { caller }) => ({
      success: true,
      data: shownMonitor(await find(params.monitorId, caller.team)),
    }),
    async updateMonitor({ params, body }, { caller }) {
      const monitor = await find(params.monitorId, caller.team);
      await database.updateTable('monitor').set(changesOf(body, monitor)).where('id', '=', monitor.id).execute();
      scheduler.changed();
      return { success: true, data: shownMonitor(await find(monitor.id, caller.team)) };
    },
    async deleteMonitor({ params }, { caller }) {
      const monitor = await find(params.monitorId, caller.team);
      await transaction(database, (tx) => removeMonitor(tx, monitor));
      await cancelCrawls(parts.crawls, monitor);
      purging = purging.then(purge).catch((error: unknown) => {
        log.warn({ reason: messageOf(error) }, 'what a deleted monitor found could not be removed: trying again later');
      });
      return { success: true };
    },
    async runMonitor({ params }, { caller }) {
      const check = await scheduler.begin(await find(params.monitorId, caller.team), 'manual');
      if (!check) throw new ServiceError(404, 'Monitor not found.');
      return { success: true, data: shownCheck(check) };
    },
    async listMonitorChecks({ params, query }, { caller }) {
      const monitor = await find(params.monitorId, caller.team);
      const rows = await database
        .selectFrom('monitor_check')
        .selectAll()
        .where('monitor', '=', monitor.id)
        .orderBy('num', 'desc')
        .limit(query.limit)
        .offset(query.offset)
        .execute();
      return { success: true, data: rows.map(shownCheck) };
    },
    async getMonitorCheck({ params, query }, { caller, baseUrl }) {
      const monitor = await find(params.monitorId, caller.team);
      const check = await findCheck(database, params.checkId);
      if (check?.monitor !== monitor.id) throw new ServiceError(404, 'Check not found.');
      const { limit, skip, status } = query;
      const { texts, more } = await pagesOf(database, check.id, { limit, skip, status });
      const of = new URLSearchParams({ limit: `${limit}`, skip: `${skip + texts.length}`, ...(status && { status }) });
      const path = `/v2/monitor/${monitor.id}/checks/${check.id}?${of}`;
      const next = more ? baseUrl + path : null;
      const data = withDocuments({ ...shownCheck(check), next }, texts, 'pages');
      return new JsonText([`{"success":true,"next":${JSON.stringify(next)},"data":`, ...data, '}']);
    },
  } satisfies Partial<Handlers>;

  return {
    handlers,
    /** Runs what fell due, and from then on what falls due. */
    start(): void {
      queue.consume(async (id, claim, givenUp) => {
        const run = runCheck({ ...parts, closing: closing.signal }, id, claim, givenUp);
        running.add(run);
        await run.finally(() => running.delete(run));
      });
      scheduler.start();
      void purgeRegularly(purge, { clock, log, closing: closing.signal });
    },
    /** Stops its checks, which another node may resume. */
    async close(): Promise<void> {
      scheduler.close();
      queue.close();
      closing.abort(new Error('The service is stopping.'));
      await Promise.allSettled([...running, purging]);
      await queue.giveBack();
    },
  };
}

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

function shownMonitor(row: MonitorRow): Monitor {
  const { id, name, status, cron, timezone, goal } = row;
  const targets = targetsOf(row);
  return {
    id,
    name,
    status,
    schedule: { cron, timezone },
    goal,
    judgeEnabled: goal !== null && row.judge === 1,
    nextRunAt: iso(row.next_run_at),
    lastRunAt: iso(row.last_run_at),
    currentCheckId: row.current_check,
    targets,
    webhook: row.webhook === null ? null : JSON.parse(row.webhook),
    notification: null,
    retentionDays: row.retention_days,
    estimatedCreditsPerMonth: creditsPerMonth(row, targets),
    lastCheckSummary: row.last_summary === null ? null : JSON.parse(row.last_summary),
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}

/** Returns the most credits of a month, from the time between the next two checks. */
function creditsPerMonth(row: MonitorRow, targets: readonly MonitorTarget[]): number {
  const first = nextRun(row, row.updated_at);
  const second = first === undefined ? undefined : nextRun(row, first);
  if (first === undefined || second === undefined) return 0;
  const credits = targets.reduce((sum, target) => sum + mostCredits(target), 0);
  return Math.round((credits * 30 * 24 * 60 * 60_000) / (second - first));
}

/** Returns the credits of a check of a target, without language models. */
function mostCredits(target: MonitorTarget): number {
  if (target.type === 'scrape') return target.urls.length;
  if (target.type === 'crawl') return target.crawlOptions.limit;
  const { queries, maxResults, scrapeOptions: read } = target;
  return queries.length * (creditsOfResults(maxResults) + (read ? maxResults : 0));
}

const nothing: MonitorSummary = { totalPages: 0, same: 0, changed: 0, new: 0, removed: 0, error: 0 };

function shownCheck(row: CheckRow): MonitorCheck {
  const isRunning = row.status === 'queued' && row.started_at !== null;
  return {
    id: row.id,
    monitorId: row.monitor,
    status: isRunning ? 'running' : row.status,
    trigger: row.cause,
    scheduledFor: iso(row.scheduled_for),
    startedAt: iso(row.started_at),
    finishedAt: iso(row.finished_at),
    actualCredits: row.credits,
    billingStatus: row.finished_at === null ? 'reserved' : 'confirmed',
    summary: row.summary === null ? nothing : JSON.parse(row.summary),
    error: row.error,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.finished_at ?? row.started_at ?? row.created_at).toISOString(),
  };
}
