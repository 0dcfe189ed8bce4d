import { sql } from 'kysely';
import type { CrawlOptions, JobStatus } from '../../../../contract/crawl/crawl-jobs.ts';
import { isObject, jsonIn } from '../../../../contract/lenient-texts.ts';
import { limits } from '../../../../contract/limits.ts';
import type { ScrapeDocument, ScrapeOptions } from '../../../../contract/scrape/scrape.ts';
import type { WebhookConfig } from '../../../../contract/webhooks/webhooks.ts';
import { isPostgres } from '../../../../storage/storage.ts';
import type { JobEvent } from '../../../platform/job-events.ts';
import {
  type Database,
  indexable,
  plainText,
  type Row,
  storedObject,
  type Unreadable,
} from '../../../platform/storage/storage.ts';
import type { Lack } from '../lacks.ts';

export type JobKind = Row<'crawl_job'>['kind'];

/** The columns with the numbers of pages and credits of a job. */
const counts = [
  ...(['added', 'completed', 'rendered', 'warned', 'failed', 'blocked', 'repeated', 'passed_over'] as const),
  ...(['link_pages', 'link_reads', 'new_pages', 'same_pages', 'changed_pages', 'removed_pages', 'credits'] as const),
];
export type JobCounts = Pick<Row<'crawl_job'>, (typeof counts)[number]>;

type Converted = 'options' | 'scrape_options' | 'webhook' | 'seeded' | 'idempotency_key' | 'warning';

/** The pages of a job that may lack something. */
export type LacksAbout = 'pages' | 'pages read for links';

/** What a warning of a job is about: of each, the last one is shown, which says all that a run has found of it. */
export type WarningAbout =
  | 'prompt'
  | 'sitemap parts'
  | 'feeds'
  | 'sitemaps'
  | 'sitemap time'
  | 'path patterns'
  | 'links of a page'
  | LacksAbout
  | 'lists'
  | 'forms'
  | 'gate'
  | 'unchanged pages'
  | 'pages no longer linked'
  | 'earlier';

/** Gives a job a warning, in place of the last one about the same, or takes that back. */
export type Say = <About extends WarningAbout>(about: About, said: Warnings[About]) => void;

/** The warnings of a job: texts, or what its pages lack. */
export type Warnings = { [About in WarningAbout]?: (About extends LacksAbout ? Lack[] : string) | undefined };

/** A stored crawl or batch. Times are wall-clock milliseconds. */
export interface Job extends Omit<Row<'crawl_job'>, Converted> {
  options: CrawlOptions;
  scrapeOptions: ScrapeOptions;
  webhook: WebhookConfig | undefined;
  seeded: boolean;
  warnings: Warnings;
}

/** The run isn't the job's latest, or the job has ended: nothing of it may be stored. */
export class RunOver extends Error {
  readonly job: number;

  constructor(job: number) {
    super('The job has ended, or another node runs it.');
    this.job = job;
  }
}

export type NewJob = Pick<Job, 'id' | 'team' | 'key_label' | 'kind' | 'url' | 'options' | 'scrapeOptions'> & {
  webhook?: Job['webhook'];
  idempotencyKey?: string | undefined;
  warning?: string | undefined;
  since?: number | undefined;
  createdAt: number;
};

export type JobSummary = Pick<Job, 'num' | 'id' | 'status' | 'completed' | 'expires_at' | 'options'>;

function lifetimeMs({ zeroDataRetention }: CrawlOptions): number {
  return (zeroDataRetention ? limits.unretainedJobLifetime : limits.jobLifetime) * 1000;
}

export type JobTable = ReturnType<typeof jobTable>;

/** The stored crawls and batches. */
export function jobTable(database: Database, unreadable: Unreadable) {
  const running = () =>
    database
      .selectFrom('crawl_job')
      .selectAll()
      .where('status', '=', sql.lit('scraping' as const));

  const readable = (rows: readonly Row<'crawl_job'>[]): Promise<Job[]> => unreadable.readable('crawl_job', rows, jobOf);

  return {
    /** Returns undefined when the team has already used the idempotency key. */
    async insert(job: NewJob, db: Database = database): Promise<Job | undefined> {
      const row = await db
        .insertInto('crawl_job')
        .values({
          id: job.id,
          team: job.team,
          key_label: job.key_label,
          kind: job.kind,
          url: job.url,
          options: JSON.stringify(job.options),
          scrape_options: JSON.stringify(job.scrapeOptions),
          webhook: job.webhook ? JSON.stringify(job.webhook) : null,
          idempotency_key: job.idempotencyKey === undefined ? null : indexable(job.idempotencyKey),
          warning: job.warning === undefined ? null : JSON.stringify({ prompt: job.warning } satisfies Job['warnings']),
          since: job.since ?? null,
          status: 'scraping',
          created_at: job.createdAt,
          expires_at: job.createdAt + lifetimeMs(job.options),
          seeded: 0,
          added: 0,
          completed: 0,
          failed: 0,
          blocked: 0,
          repeated: 0,
          passed_over: 0,
          credits: 0,
          link_pages: 0,
          link_reads: 0,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst();
      return row && jobOf(row);
    },
    async find(id: string, db: Database = database): Promise<Job | undefined> {
      const row = await db.selectFrom('crawl_job').selectAll().where('id', '=', id).executeTakeFirst();
      if (!row) return undefined;
      const [job] = await readable([row]);
      return job;
    },
    /** Returns a job that stays as it is until the transaction ends. */
    async lock(id: string, tx: Database): Promise<Job | undefined> {
      const query = tx.selectFrom('crawl_job').selectAll().where('id', '=', id);
      const row = await (isPostgres(database) ? query.forUpdate() : query).executeTakeFirst();
      return row && (await readable([row]))[0];
    },
    /** Begins a run of a job, and ends any other. Returns undefined if it has ended. */
    async begin(id: string, runner: string | undefined, tx: Database): Promise<Job | undefined> {
      const row = await tx
        .updateTable('crawl_job')
        .set(({ eb }) => ({ runs: eb('runs', '+', 1), runner: runner ?? null }))
        .where('id', '=', id)
        .where('status', '=', sql.lit('scraping' as const))
        .returningAll()
        .executeTakeFirst();
      return row && (await readable([row]))[0];
    },
    /** Notes that the jobs of a node wait. */
    async leave(runner: string): Promise<void> {
      await database
        .updateTable('crawl_job')
        .set({ runner: null })
        .where('runner', '=', runner)
        .where('status', '=', sql.lit('scraping' as const))
        .execute();
    },
    /** Returns the jobs that run, oldest first. Those that can't be read are set aside. */
    running: async (): Promise<Job[]> => await readable(await running().orderBy('num').execute()),
    runningOf: async (team: string): Promise<Job[]> =>
      await readable(await running().where('team', '=', team).orderBy('num', 'desc').execute()),
    /** Returns all jobs of a team, running, ended or expired. */
    async ofTeam(team: string): Promise<JobSummary[]> {
      const rows = await database
        .selectFrom('crawl_job')
        .select(['num', 'id', 'status', 'completed', 'expires_at', 'options'])
        .where('team', '=', team)
        .orderBy('num')
        .execute();
      return rows.map(({ options, ...rest }) => ({ ...rest, options: readOptions(options) }));
    },
    /** Stores the counts, the warnings and `found_at` of a run. Throws RunOver. */
    async save(job: Job, db: Database = database): Promise<void> {
      const { num, runs, kind, warnings, found_at } = job;
      const { added, ...others } = countsOf(job);
      const counts = { ...others, warning: JSON.stringify(warnings), found_at };
      const { numUpdatedRows } = await db
        .updateTable('crawl_job')
        // Any node may add pages to a batch.
        .set(kind === 'crawl' ? { ...counts, added } : counts)
        .where('num', '=', num)
        .where('runs', '=', runs)
        .where('status', '=', sql.lit('scraping' as const))
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new RunOver(num);
    },
    /** Counts pages that were added to a batch. */
    async grow(num: number, by: number, db: Database): Promise<void> {
      await db
        .updateTable('crawl_job')
        .set(({ eb }) => ({ added: eb('added', '+', by) }))
        .where('num', '=', num)
        .execute();
    },
    /** Notes that the sitemaps of a crawl were read, with what they lack. */
    async setSeeded({ num, runs, warnings }: Pick<Job, 'num' | 'runs' | 'warnings'>): Promise<void> {
      await database
        .updateTable('crawl_job')
        .set({ seeded: 1, warning: JSON.stringify(warnings) })
        .where('num', '=', num)
        .where('runs', '=', runs)
        .execute();
    },
    /** Stores the end of a job that runs. Returns false if it has ended already. */
    async end(
      { num, options }: Pick<Job, 'num' | 'options'>,
      status: JobStatus,
      error: string | null,
      at: number,
      db: Database = database,
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('crawl_job')
        .set({ status, error: error && plainText(error), ended_at: at, expires_at: at + lifetimeMs(options) })
        .where('num', '=', num)
        .where('status', '=', 'scraping')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Lets a job that has completed go on, with its options and number of pages. */
    async reopen({ num, options, added }: Pick<Job, 'num' | 'options' | 'added'>, tx: Database): Promise<void> {
      await tx
        .updateTable('crawl_job')
        .set({ status: 'scraping', options: JSON.stringify(options), added, ended_at: null, runner: null })
        .where('num', '=', num)
        .execute();
    },
    /** Returns when a job of the team last completed. */
    async lastSuccess(team: string): Promise<number | undefined> {
      const row = await database
        .selectFrom('crawl_job')
        .select(({ fn }) => fn.max('ended_at').as('at'))
        .where('team', '=', team)
        .where('status', '=', 'completed')
        .executeTakeFirst();
      return row?.at ?? undefined;
    },
    /** Returns when the next job that has ended expires. */
    async nextExpiry(): Promise<number | undefined> {
      const row = await database
        .selectFrom('crawl_job')
        .select(({ fn }) => fn.min('expires_at').as('at'))
        .where('status', '<>', 'scraping')
        .executeTakeFirst();
      return row?.at ?? undefined;
    },
    expired: (at: number): Promise<{ num: number; id: string }[]> =>
      database
        .selectFrom('crawl_job')
        .select(['num', 'id'])
        .where('expires_at', '<=', at)
        .where('status', '<>', 'scraping')
        // A crawl that repeats it still compares with it.
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('crawl_job as repeat')
                .select('repeat.num')
                .whereRef('repeat.since', '=', 'crawl_job.num')
                .where('repeat.status', '=', 'scraping'),
            ),
          ),
        )
        .execute(),
    async remove(num: number): Promise<void> {
      await database.deleteFrom('crawl_job').where('num', '=', num).execute();
    },
  };
}

/** Returns how many pages a job has at most. */
export function limitOf({ kind, options }: Pick<Job, 'kind' | 'options'>): number {
  return kind === 'crawl' ? (options.limit ?? limits.crawlPages.default) : Number.POSITIVE_INFINITY;
}

/**
 * Returns how many pages count toward the limit of a job: those that failed only beyond as many as it allows, so that a site
 * where all fail comes to an end.
 * @param failing pages that are about to fail
 */
export function countedOf(job: Pick<Job, 'kind' | 'options' | 'completed' | 'failed'>, failing = 0): number {
  return job.completed + Math.max(0, job.failed + failing - limitOf(job));
}

/** Returns the counts of a job. */
export function countsOf(job: JobCounts): JobCounts {
  return Object.fromEntries(counts.map((name) => [name, job[name]])) as JobCounts;
}

/** Returns stored options; none if they can't be read, which is dealt with when the job is. */
function readOptions(text: string): CrawlOptions {
  try {
    return storedObject<CrawlOptions>(text);
  } catch {
    return {};
  }
}

function jobOf({ options, scrape_options, webhook, seeded, warning, ...rest }: Row<'crawl_job'>): Job {
  return {
    ...rest,
    options: storedObject<CrawlOptions>(options),
    scrapeOptions: storedObject<ScrapeOptions>(scrape_options),
    webhook: webhook === null ? undefined : storedObject<WebhookConfig>(webhook),
    seeded: seeded === 1,
    warnings: warningsIn(warning),
  };
}

/** Returns stored warnings; `earlier` are those that version 0.1.0 stored as lines. */
function warningsIn(stored: string | null): Job['warnings'] {
  const warnings = jsonIn(stored ?? '{}');
  return isObject(warnings) ? (warnings as Job['warnings']) : { earlier: stored ?? '' };
}

/** Creates an event of a crawl or batch. */
export function jobEvent(
  { team, id, kind, webhook }: Job,
  what: 'started' | 'page' | 'completed' | 'failed' | 'cancelled',
  { data = [], error }: { data?: ScrapeDocument[]; error?: string | undefined } = {},
): JobEvent {
  return {
    team,
    jobId: id,
    type: `${kind}.${what}`,
    success: error === undefined,
    data,
    ...(error !== undefined && { error }),
    webhook,
  };
}
