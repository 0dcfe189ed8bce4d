import { limits } from '../../../../contract/limits.ts';
import type { ScrapeOptions } from '../../../../contract/scrape/scrape.ts';
import type { WebhookConfig } from '../../../../contract/webhooks/webhooks.ts';
import {
  type Database,
  plainText,
  type Row,
  storedObject,
  type Unreadable,
} from '../../../platform/storage/storage.ts';
import type { Answer, Deed, Step } from './steps.ts';

export type AgentJobKind = 'agent' | 'extract';

/** What a job was asked for. */
export interface JobRequest {
  /** Missing if an extract job has only a schema. */
  prompt?: string | undefined;
  urls: string[];
  schema?: Record<string, unknown> | undefined;
  maxCredits: number;
  /** Whether only the given URLs may be read. */
  strict: boolean;
  webhook?: WebhookConfig | undefined;
  /** Name of the calling program. */
  origin?: string | undefined;
  /** How an extract job works; missing if an agent gathers the data. */
  extract?: {
    systemPrompt?: string | undefined;
    allowExternalLinks: boolean;
    includeSubdomains: boolean;
    enableWebSearch: boolean;
    /** Maximum number of pages to read. */
    limit: number;
    scrapeOptions?: ScrapeOptions | undefined;
  };
}

/** A stored agent or extract job. Times are wall-clock milliseconds. */
export interface AgentJob extends Omit<Row<'agent_job'>, 'request' | 'answer'> {
  request: JobRequest;
  answer: Omit<Answer, 'warning'> | undefined;
}

/** A step with its place in the job. */
export interface StoredStep {
  seq: number;
  step: Step;
  credits: number;
  at: number;
}

/** What a step did, without the step. */
export type StoredDeed = Omit<StoredStep, 'step'> & { deed: Deed };

/** How a job ended. */
export type JobEnd =
  | { status: 'completed'; answer: Answer }
  | { status: 'failed'; error: string }
  | { status: 'cancelled' };

/** The stored agent and extract jobs. Those that can't be read are set aside. */
export type AgentJobTable = ReturnType<typeof agentJobTable>;

const lifetimeMs = limits.jobLifetime * 1000;

export function agentJobTable(database: Database, unreadable: Unreadable) {
  const readable = (rows: readonly Row<'agent_job'>[]): Promise<AgentJob[]> =>
    unreadable.readable('agent_job', rows, jobOf);

  return {
    async insert(
      job: Pick<AgentJob, 'id' | 'team' | 'key_label' | 'kind' | 'request' | 'created_at'>,
      db: Database = database,
    ): Promise<void> {
      const request = plainText(JSON.stringify(job.request));
      const begun = {
        status: 'processing',
        credits: 0,
        active_ms: 0,
        expires_at: job.created_at + lifetimeMs,
      } as const;
      await db
        .insertInto('agent_job')
        .values({ ...job, ...begun, request })
        .execute();
    },
    async find(id: string): Promise<AgentJob | undefined> {
      const row = await database.selectFrom('agent_job').selectAll().where('id', '=', id).executeTakeFirst();
      return row && (await readable([row]))[0];
    },
    /** Begins a run of a job, and ends any other. Returns undefined if it has ended. */
    async begin(id: string, runner: string | undefined, tx: Database): Promise<AgentJob | undefined> {
      const row = await tx
        .updateTable('agent_job')
        .set(({ eb }) => ({ runs: eb('runs', '+', 1), runner: runner ?? null }))
        .where('id', '=', id)
        .where('status', '=', 'processing')
        .returningAll()
        .executeTakeFirst();
      return row && (await readable([row]))[0];
    },
    /** Returns the jobs that run, oldest first. */
    async running(): Promise<AgentJob[]> {
      const rows = await database
        .selectFrom('agent_job')
        .selectAll()
        .where('status', '=', 'processing')
        .orderBy('num')
        .execute();
      return await readable(rows);
    },
    /** Returns at most `count` agent jobs of a team that were started before a time and have not expired, newest first. */
    async list(team: string, before: number, now: number, count: number): Promise<AgentJob[]> {
      const rows = await database
        .selectFrom('agent_job')
        .selectAll()
        .where('team', '=', team)
        .where('kind', '=', 'agent')
        .where('created_at', '<', before)
        .where(({ eb, or }) => or([eb('status', '=', 'processing'), eb('expires_at', '>', now)]))
        .orderBy('created_at', 'desc')
        .orderBy('num', 'desc')
        .limit(count)
        .execute();
      return await readable(rows);
    },
    async steps({ num }: AgentJob): Promise<StoredStep[]> {
      const rows = await database.selectFrom('agent_step').selectAll().where('job', '=', num).orderBy('seq').execute();
      return rows.map(stepOf);
    },
    /** Returns what the latest steps did, oldest first, without reading the steps. */
    async latestDeeds(num: number, count: number): Promise<StoredDeed[]> {
      const rows = await database
        .selectFrom('agent_step')
        .select(['seq', 'deed', 'credits', 'at'])
        .where('job', '=', num)
        .where('deed', 'is not', null)
        .$narrowType<{ deed: string }>()
        .orderBy('seq', 'desc')
        .limit(count)
        .execute();
      return rows.reverse().map(({ deed, ...rest }) => ({ ...rest, deed: storedObject<Deed>(deed) }));
    },
    /** Stores a step and what it cost. Returns false if the job has ended, or another run of it began. */
    async addStep(
      { num, runs, active_ms, model }: Pick<AgentJob, 'num' | 'runs' | 'active_ms' | 'model'>,
      { seq, step: { deed, ...step }, credits, at }: StoredStep,
      db: Database,
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('agent_job')
        .set(({ eb }) => ({ active_ms, model, credits: eb('credits', '+', credits) }))
        .where('num', '=', num)
        .where('runs', '=', runs)
        .where('status', '=', 'processing')
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      await db
        .insertInto('agent_step')
        .values({
          job: num,
          seq,
          credits,
          at,
          step: plainText(JSON.stringify(step)),
          deed: deed ? plainText(JSON.stringify(deed)) : null,
        })
        .execute();
      return true;
    },
    /** Adds credits to a job that has ended. */
    async addCredits(num: number, credits: number): Promise<void> {
      await database
        .updateTable('agent_job')
        .set(({ eb }) => ({ credits: eb('credits', '+', credits) }))
        .where('num', '=', num)
        .where('status', '<>', 'processing')
        .execute();
    },
    /** Stores the end of a job. Returns false if it has ended already, or another run than the given one began. */
    async end(num: number, end: JobEnd, at: number, db: Database, runs?: number): Promise<boolean> {
      const answer = end.status === 'completed' ? end.answer : undefined;
      const { numUpdatedRows } = await db
        .updateTable('agent_job')
        .set({
          status: end.status,
          error: end.status === 'failed' ? plainText(end.error) : null,
          warning: answer?.warning === undefined ? null : plainText(answer.warning),
          answer: answer ? plainText(JSON.stringify({ data: answer.data, sources: answer.sources })) : null,
          ended_at: at,
          expires_at: at + lifetimeMs,
        })
        .where('num', '=', num)
        .$if(runs !== undefined, (query) => query.where('runs', '=', runs ?? 0))
        .where('status', '=', 'processing')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Returns the jobs that have expired. */
    async expired(at: number): Promise<Pick<AgentJob, 'num'>[]> {
      return await database
        .selectFrom('agent_job')
        .select('num')
        .where('expires_at', '<=', at)
        .where('status', '<>', 'processing')
        .execute();
    },
    /** Removes at most `count` steps of a job. Returns how many were removed. */
    async removeSteps(num: number, count: number): Promise<number> {
      const { numDeletedRows } = await database
        .deleteFrom('agent_step')
        .where('job', '=', num)
        .where('seq', 'in', (of) =>
          of.selectFrom('agent_step').select('seq').where('job', '=', num).orderBy('seq').limit(count),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
    async remove(num: number): Promise<void> {
      await database.deleteFrom('agent_job').where('num', '=', num).execute();
    },
  };
}

function jobOf({ request, answer, ...rest }: Row<'agent_job'>): AgentJob {
  return {
    ...rest,
    request: storedObject<JobRequest>(request),
    answer: answer === null ? undefined : storedObject<Omit<Answer, 'warning'>>(answer),
  };
}

function stepOf({ seq, step, credits, at, deed }: Row<'agent_step'>): StoredStep {
  const done = deed === null ? {} : { deed: storedObject<Deed>(deed) };
  return { seq, step: { ...storedObject<Step>(step), ...done }, credits, at };
}
