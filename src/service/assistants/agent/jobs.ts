import { randomUUID } from 'node:crypto';
import { afterCommit, isOutcomeUnknown, storageProblem, transaction } from '../../../storage/storage.ts';
import { workingFor } from '../../platform/asker.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import type { SharedJobs } from '../../platform/fleet/jobs/shared-jobs.ts';
import { noSignals } from '../../platform/fleet/signals.ts';
import type { Caller } from '../../platform/http/keys.ts';
import type { JobEvent, JobEvents } from '../../platform/job-events.ts';
import { type Claim, openJobQueue } from '../../platform/job-queue.ts';
import { purgeRegularly, removeInChunks, storeEnd } from '../../platform/job-upkeep.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Database } from '../../platform/storage/storage.ts';
import { extract } from './extract/extract.ts';
import { type GatherParts, gather } from './run/gather.ts';
import { type Budget, type Cost, JobFailed, JobOver, type Journal, openBudget, ServiceStopping } from './run/run.ts';
import { callerOf, webFor } from './run/web.ts';
import type { AgentJob, AgentJobKind, AgentJobTable, JobEnd, JobRequest, StoredStep } from './store/job-table.ts';
import type { ReadPage, Step } from './store/steps.ts';

/** All agent and extract jobs. Methods for a job throw 404 if it doesn't exist and 403 if it belongs to another team. */
export type AgentJobs = ReturnType<typeof createAgentJobs>;

export interface AgentJobsParts extends GatherParts, Pick<Platform, 'database' | 'log' | 'activity'> {
  table: AgentJobTable;
  events: JobEvents;
  /** How the jobs are shared with other nodes; undefined: with none. */
  shared?: SharedJobs | undefined;
}

/** Jobs that run at the same time; others wait, except for one of each team that has none. */
const jobsAtATime = 5;
/** Steps that a status response has. */
const shownSteps = 100;
/** Steps of an expired job that are removed at a time; each may hold a whole page. */
const purgeChunk = 50;

export function createAgentJobs(parts: AgentJobsParts) {
  const { database, table, shared, clock, log } = parts;
  const { signals = noSignals } = shared ?? {};
  const runs = new Map<string, AbortController>();
  const ending = new Set<Promise<void>>();
  const queue = openJobQueue({ kind: 'agent', stored: () => table.running(), maxRunning: jobsAtATime }, parts);
  const closing = new AbortController();
  const upkeep = { clock, log, closing: closing.signal };

  signals.on('agent-changed', (id) => void stopIfOver(id));
  signals.onGap(() => {
    for (const id of runs.keys()) void stopIfOver(id);
  });

  /** Stops the run of a job that another node canceled. A run that goes on can store nothing. Never rejects. */
  async function stopIfOver(id: string): Promise<void> {
    const stop = runs.get(id);
    if (!stop) return;
    const job = await table.find(id).catch(() => undefined);
    if (job && job.status !== 'processing') stop.abort(new JobOver('The job has ended.'));
  }

  async function run(id: string, claim: Claim, givenUp?: string): Promise<void> {
    const stop = new AbortController();
    runs.set(id, stop);
    const onLost = () => stop.abort(new ServiceStopping('Another node runs the job.'));
    claim.signal.addEventListener('abort', onLost, { once: true });
    const work = runToEnd(id, claim, stop.signal, givenUp);
    ending.add(work);
    try {
      await work;
    } finally {
      claim.signal.removeEventListener('abort', onLost);
      if (runs.get(id) === stop) runs.delete(id);
      ending.delete(work);
    }
  }

  async function runToEnd(id: string, claim: Claim, stop: AbortSignal, givenUp: string | undefined): Promise<void> {
    const job = await transaction(database, async (tx) =>
      (await claim.holds(tx)) ? await table.begin(id, shared?.node, tx) : undefined,
    );
    if (!job || closing.signal.aborted || claim.signal.aborted) return;
    let budget: Budget | undefined;
    let end: JobEnd;
    try {
      if (givenUp !== undefined) throw new JobFailed(givenUp);
      const journal = await openJournal(job);
      budget = openBudget(job, journal, clock, stop);
      journal.activeMs = budget.activeMs;
      const web = webFor(job, parts, budget.signal);
      const work = job.request.extract ? extract : gather;
      const given = { job, journal, web, budget };
      const answer = await workingFor({ team: job.team, work: job.id }, () => work(given, parts));
      end = { status: 'completed', answer };
    } catch (error) {
      if (stop.aborted || error instanceof JobOver) return;
      // The run continues from what is stored, once storage works again.
      if (storageProblem(error) !== undefined) throw error;
      if (!(error instanceof JobFailed)) log.error({ job: id, reason: messageOf(error) }, 'a job failed unexpectedly');
      end = { status: 'failed', error: messageOf(error) };
    } finally {
      budget?.close();
    }
    await storeEnd(job.id, () => finish(job, end, job.runs), upkeep);
  }

  /** Opens the steps of a job, to add to them. Throws a JobFailed if they can't be read. */
  async function openJournal(job: AgentJob): Promise<Journal & { activeMs: () => number }> {
    const stored = await stepsOf(job);
    const steps: Step[] = stored.map(({ step }) => step);
    const pages: ReadPage[] = steps.flatMap(({ page }) => page ?? []);
    let seq = stored.at(-1)?.seq ?? 0;
    let credits = job.credits;
    let last: Promise<void> = Promise.resolve();
    const journal = {
      steps,
      pages,
      activeMs: () => job.active_ms,
      get credits() {
        return credits;
      },
      /** Steps are stored one after another. */
      async add(step: Step, { credits: charged = 0, billed = 0, tx }: Cost = {}) {
        if (tx) return await store(tx);
        const before = last;
        const stored = before.then(() => transaction(database, store));
        last = stored.catch(() => undefined);
        try {
          return await stored;
        } catch (error) {
          if (error instanceof JobOver && billed > 0) await table.addCredits(job.num, billed);
          throw error;
        }

        async function store(db: Database): Promise<void> {
          const row = { seq: seq + 1, step, credits: charged + billed, at: clock.now() };
          const progress = { num: job.num, runs: job.runs, model: job.model, active_ms: journal.activeMs() };
          if (!(await table.addStep(progress, row, db))) throw new JobOver('The job has ended.');
          if (charged > 0) await parts.ledger.charge(callerOf(job), job.kind, charged, db);
          if (step.deed) await emit(job, 'action', db, { data: [{ ...step.deed, creditsUsed: row.credits }] });
          afterCommit(db, () => {
            seq = row.seq;
            credits += row.credits;
            steps.push(step);
            if (step.page) pages.push(step.page);
          });
        }
      },
    };
    return journal;
  }

  async function stepsOf(job: AgentJob): Promise<StoredStep[]> {
    try {
      return await table.steps(job);
    } catch (error) {
      if (storageProblem(error) !== undefined) throw error;
      log.error({ job: job.id, reason: messageOf(error) }, 'the steps of a job are unreadable');
      throw new JobFailed("The stored steps of the job can't be read. Start it again.", { cause: error });
    }
  }

  function emit(
    { team, id, kind, request }: Pick<AgentJob, 'team' | 'id' | 'kind' | 'request'>,
    what: 'started' | 'action' | 'completed' | 'failed' | 'cancelled',
    db: Database,
    { data = [], error }: { data?: JobEvent['data']; error?: string } = {},
  ): Promise<void> {
    const event = { team, jobId: id, type: `${kind}.${what}` as const, webhook: request.webhook };
    return parts.events.emit(
      [{ ...event, success: error === undefined, data, ...(error !== undefined && { error }) }],
      db,
    );
  }

  /** Stores the end of a job. Returns false if it had ended already. */
  async function finish(job: AgentJob, end: JobEnd, runs?: number): Promise<boolean> {
    const ended = await transaction(database, async (tx) => {
      if (!(await table.end(job.num, end, clock.now(), tx, runs))) return false;
      if (runs === undefined) await signals.send('agent-changed', job.id, tx);
      const data = end.status === 'completed' ? [{ data: end.answer.data, sources: end.answer.sources }] : [];
      await emit(job, end.status, tx, { data, ...(end.status === 'failed' && { error: end.error }) });
      return true;
    });
    if (ended) log.info({ job: job.id, status: end.status }, 'a job ended');
    return ended;
  }

  async function find(caller: Caller, id: string): Promise<AgentJob> {
    const job = await table.find(id);
    if (!job) throw new ServiceError(404, 'Job not found.');
    if (job.team !== caller.team) throw new ServiceError(403, 'Forbidden.');
    if (job.status !== 'processing' && job.expires_at <= clock.now()) throw new ServiceError(404, 'Job expired.');
    return job;
  }

  async function purge(): Promise<undefined> {
    for (const { num } of await table.expired(clock.now())) {
      await removeInChunks(() => table.removeSteps(num, purgeChunk), closing.signal);
      if (closing.signal.aborted) return;
      await table.remove(num);
    }
  }

  return {
    async start(caller: Caller, kind: AgentJobKind, request: JobRequest): Promise<string> {
      const id = randomUUID();
      const { team, keyLabel } = caller;
      await transaction(database, async (tx) => {
        await parts.ledger.require(team, 1, tx);
        await table.insert({ id, team, key_label: keyLabel, kind, request, created_at: clock.now() }, tx);
        await parts.activity.record({ id, team, endpoint: kind, target: request.prompt ?? request.urls[0] ?? '' }, tx);
        await emit({ team, id, kind, request }, 'started', tx);
        await queue.push({ id, team }, tx);
      }).catch((error: unknown) => {
        // It may have been stored nevertheless: then it runs.
        if (isOutcomeUnknown(error)) void queue.push({ id, team }, database).catch(() => undefined);
        throw error;
      });
      return id;
    },
    /** Returns a job with what its latest steps did, 100 by default. */
    async find(caller: Caller, id: string, steps: number = shownSteps) {
      const job = await find(caller, id);
      return { job, deeds: await table.latestDeeds(job.num, steps) };
    },
    /** Returns at most `count` agent jobs of the caller's team that were started before a time, newest first. */
    list: (caller: Caller, before: number, count: number): Promise<AgentJob[]> =>
      table.list(caller.team, before, clock.now(), count),
    /** Throws 409 when the job has already ended. */
    async cancel(caller: Caller, id: string): Promise<void> {
      const job = await find(caller, id);
      if (job.status === 'processing' && (await finish(job, { status: 'cancelled' }))) {
        runs.get(id)?.abort(new JobOver('The job was canceled.'));
        return;
      }
      const { status } = await find(caller, id);
      throw new ServiceError(409, `The job is already ${status}.`);
    },
    busy: (): boolean => queue.busy(),
    /** Resumes the jobs that were running when the service last stopped. */
    resume(): void {
      void purgeRegularly(purge, upkeep);
      queue.consume(run);
    },
    /** Stops all runs; the next service resumes them. */
    async close(): Promise<void> {
      closing.abort();
      queue.close();
      for (const stop of runs.values()) stop.abort(new ServiceStopping('The service is stopping.'));
      await Promise.allSettled(ending);
      await queue.giveBack();
    },
  };
}
