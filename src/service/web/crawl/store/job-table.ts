import { sql } from 'kysely';
import type { CrawlOptions, JobStatus } from '../../../../contract/crawl/crawl-jobs.ts';
import { limits } from '../../../../contract/limits.ts';
import type { ScrapeOptions } from '../../../../contract/scrape/scrape.ts';
import type { WebhookConfig } from '../../../../contract/webhooks/webhooks.ts';
import { isPostgres } from '../../../../storage/storage.ts';
import {
  type Database,
  indexable,
  plainText,
  type Row,
  storedObject,
  type Unreadable,
} from '../../../platform/storage/storage.ts';

export type JobKind = Row<'crawl_job'>['kind'];

/** The columns with the numbers of pages and credits of a job. */
const counts = [
  ...(['added', 'completed', 'rendered', 'warned', 'failed', 'blocked', 'repeated', 'passed_over'] as const),
  ...(['link_pages', 'link_reads', 'new_pages', 'same_pages', 'changed_pages', 'removed_pages', 'credits'] as const),
];
export type JobCounts = Pick<Row<'crawl_job'>, (typeof counts)[number]>;

type Converted = 'options' | 'scrape_options' | 'webhook' | 'seeded' | 'idempotency_key';

/** A stored crawl or batch. Times are wall-clock milliseconds. */
export interface Job extends Omit<Row<'crawl_job'>, Converted> {
  options: CrawlOptions;
  scrapeOptions: ScrapeOptions;
  webhook: WebhookConfig | undefined;
  seeded: boolean;
}

/** The run isn't the job's latest, or the job has ended: nothing of it may be stored. */
export class RunOver extends Error {
  readonly job: number;

  constructor(job: number) {
    super('The job has ended, or another node runs it.');
    this.job = job;
  }
}

export type NewJob = Pick<
  Job,
  'id' | 'team' | 'key_label' | 'kind' | 'url' | 'options' | 'scrapeOptions' | 'webhook'
> & {
  idempotencyKey: string | undefined;
  warning?: string | undefined;
  since?: number | undefined;
  createdAt: number;
};

export type JobSummary = Pick<Job, 'num' | 'id' | 'status' | 'completed' | 'expires_at' | 'options'>;

/** The stored crawls and batches. */
export interface JobTable {
  /** Returns undefined when the team has already used the idempotency key. */
  insert(job: NewJob, db?: Database): Promise<Job | undefined>;
  find(id: string, db?: Database): Promise<Job | undefined>;
  /** Returns a job that stays as it is until the transaction ends. */
  lock(id: string, tx: Database): Promise<Job | undefined>;
  /** Begins a run of a job, and ends any other. Returns undefined if it has ended. */
  begin(id: string, runner: string | undefined, tx: Database): Promise<Job | undefined>;
  /** Notes that the jobs of a node wait. */
  leave(runner: string): Promise<void>;
  /** Returns the jobs that run, oldest first. Those that can't be read are set aside. */
  running(): Promise<Job[]>;
  runningOf(team: string): Promise<Job[]>;
  /** Returns all jobs of a team, running, ended or expired. */
  ofTeam(team: string): Promise<JobSummary[]>;
  /** Stores the counts, the warning and `found_at` of a run. Throws RunOver. */
  save(job: Job, db?: Database): Promise<void>;
  /** Counts pages that were added to a batch. */
  grow(num: number, by: number, db: Database): Promise<void>;
  setSeeded(job: Pick<Job, 'num' | 'runs'>): Promise<void>;
  /** Stores the end of a job that runs. Returns false if it has ended already. */
  end(
    job: Pick<Job, 'num' | 'options'>,
    status: JobStatus,
    error: string | null,
    at: number,
    db?: Database,
  ): Promise<boolean>;
  /** Lets a job that has completed go on, with its options and number of pages. */
  reopen(job: Pick<Job, 'num' | 'options' | 'added'>, tx: Database): Promise<void>;
  /** Returns when a job of the team last completed. */
  lastSuccess(team: string): Promise<number | undefined>;
  /** Returns when the next job that has ended expires. */
  nextExpiry(): Promise<number | undefined>;
  expired(at: number): Promise<{ num: number; id: string }[]>;
  remove(num: number): Promise<void>;
}

function lifetimeMs({ zeroDataRetention }: CrawlOptions): number {
  return (zeroDataRetention ? limits.unretainedJobLifetime : limits.jobLifetime) * 1000;
}

export function jobTable(database: Database, unreadable: Unreadable): JobTable {
  const running = () =>
    database
      .selectFrom('crawl_job')
      .selectAll()
      .where('status', '=', sql.lit('scraping' as const));

  const readable = (rows: readonly Row<'crawl_job'>[]): Promise<Job[]> => unreadable.readable('crawl_job', rows, jobOf);

  return {
    async insert(job, db = database) {
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
          warning: job.warning ?? null,
          since: job.since ?? null,
          status: 'scraping',
          created_at: job.createdAt,
          expires_at: job.createdAt + lifetimeMs(job.options),
          ...{ seeded: 0, added: 0, completed: 0, failed: 0, blocked: 0, repeated: 0, passed_over: 0, credits: 0 },
          ...{ link_pages: 0, link_reads: 0 },
        })
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst();
      return row && jobOf(row);
    },
    async find(id, db = database) {
      const row = await db.selectFrom('crawl_job').selectAll().where('id', '=', id).executeTakeFirst();
      if (!row) return undefined;
      const [job] = await readable([row]);
      return job;
    },
    async lock(id, tx) {
      const query = tx.selectFrom('crawl_job').selectAll().where('id', '=', id);
      const row = await (isPostgres(database) ? query.forUpdate() : query).executeTakeFirst();
      return row && (await readable([row]))[0];
    },
    async begin(id, runner, tx) {
      const row = await tx
        .updateTable('crawl_job')
        .set(({ eb }) => ({ runs: eb('runs', '+', 1), runner: runner ?? null }))
        .where('id', '=', id)
        .where('status', '=', sql.lit('scraping' as const))
        .returningAll()
        .executeTakeFirst();
      return row && (await readable([row]))[0];
    },
    async leave(runner) {
      await database
        .updateTable('crawl_job')
        .set({ runner: null })
        .where('runner', '=', runner)
        .where('status', '=', sql.lit('scraping' as const))
        .execute();
    },
    running: async () => await readable(await running().orderBy('num').execute()),
    runningOf: async (team) =>
      await readable(await running().where('team', '=', team).orderBy('num', 'desc').execute()),
    async ofTeam(team) {
      const rows = await database
        .selectFrom('crawl_job')
        .select(['num', 'id', 'status', 'completed', 'expires_at', 'options'])
        .where('team', '=', team)
        .orderBy('num')
        .execute();
      return rows.map(({ options, ...rest }) => ({ ...rest, options: readOptions(options) }));
    },
    async save(job, db = database) {
      const { num, runs, kind, warning, found_at } = job;
      const { added, ...others } = countsOf(job);
      const counts = { ...others, warning, found_at };
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
    async grow(num, by, db) {
      await db
        .updateTable('crawl_job')
        .set(({ eb }) => ({ added: eb('added', '+', by) }))
        .where('num', '=', num)
        .execute();
    },
    async setSeeded({ num, runs }) {
      await database
        .updateTable('crawl_job')
        .set({ seeded: 1 })
        .where('num', '=', num)
        .where('runs', '=', runs)
        .execute();
    },
    async end({ num, options }, status, error, at, db = database) {
      const { numUpdatedRows } = await db
        .updateTable('crawl_job')
        .set({ status, error: error && plainText(error), ended_at: at, expires_at: at + lifetimeMs(options) })
        .where('num', '=', num)
        .where('status', '=', 'scraping')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async reopen({ num, options, added }, tx) {
      await tx
        .updateTable('crawl_job')
        .set({ status: 'scraping', options: JSON.stringify(options), added, ended_at: null, runner: null })
        .where('num', '=', num)
        .execute();
    },
    async lastSuccess(team) {
      const row = await database
        .selectFrom('crawl_job')
        .select(({ fn }) => fn.max('ended_at').as('at'))
        .where('team', '=', team)
        .where('status', '=', 'completed')
        .executeTakeFirst();
      return row?.at ?? undefined;
    },
    async nextExpiry() {
      const row = await database
        .selectFrom('crawl_job')
        .select(({ fn }) => fn.min('expires_at').as('at'))
        .where('status', '<>', 'scraping')
        .executeTakeFirst();
      return row?.at ?? undefined;
    },
    expired: (at) =>
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
    async remove(num) {
      await database.deleteFrom('crawl_job').where('num', '=', num).execute();
    },
  };
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

function jobOf({ options, scrape_options, webhook, seeded, ...rest }: Row<'crawl_job'>): Job {
  return {
    ...rest,
    options: storedObject<CrawlOptions>(options),
    scrapeOptions: storedObject<ScrapeOptions>(scrape_options),
    webhook: webhook === null ? undefined : storedObject<WebhookConfig>(webhook),
    seeded: seeded === 1,
  };
}
