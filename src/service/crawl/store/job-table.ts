import type { DatabaseSync } from 'node:sqlite';
import type { CrawlOptions, JobStatus } from '../../../contract/crawl-jobs.ts';
import { limits } from '../../../contract/limits.ts';
import type { ScrapeOptions } from '../../../contract/scrape.ts';
import type { WebhookConfig } from '../../../contract/webhooks.ts';

export type JobKind = 'crawl' | 'batch_scrape';

/** Page and credit counts of a job. */
export interface JobCounts {
  /** Pages in the frontier, fetched or not. */
  added: number;
  /** Documents stored. */
  completed: number;
  failed: number;
  /** Disallowed by robots.txt. */
  blocked: number;
  /** Fetched, but the same page as another one. */
  repeated: number;
  /** Without a document: a start page that the crawl's patterns exclude, or a page that another one redirected to. */
  passed_over: number;
  credits: number;
}

/** A stored crawl or batch. Times are wall-clock milliseconds. */
export interface Job extends JobCounts {
  num: number;
  id: string;
  team: string;
  key_label: string;
  kind: JobKind;
  /** Start URL of a crawl, first URL of a batch. */
  url: string;
  options: CrawlOptions;
  scrapeOptions: ScrapeOptions;
  webhook: WebhookConfig | undefined;
  status: JobStatus;
  error: string | null;
  warning: string | null;
  created_at: number;
  ended_at: number | null;
  expires_at: number;
  /** Whether the start page and the sitemaps are in the frontier. */
  seeded: boolean;
  /** URL that the start page redirected to, if any. */
  found_at: string | null;
}

export type NewJob = Pick<
  Job,
  'id' | 'team' | 'key_label' | 'kind' | 'url' | 'options' | 'scrapeOptions' | 'webhook'
> & {
  idempotencyKey: string | undefined;
  warning?: string | undefined;
  createdAt: number;
};

export type JobSummary = Pick<Job, 'num' | 'id' | 'status' | 'completed' | 'expires_at'>;

/** The stored crawls and batches. */
export interface JobTable {
  /** Throws SQLite's error when the team has already used the idempotency key. */
  insert(job: NewJob): Job;
  find(id: string): Job | undefined;
  running(): Job[];
  runningOf(team: string): Job[];
  /** Returns all jobs of a team, running, ended or expired. */
  ofTeam(team: string): JobSummary[];
  hasKey(team: string, idempotencyKey: string): boolean;
  /** Stores the counts, the warning and `found_at`. */
  save(job: Job): void;
  setSeeded(num: number): void;
  end(num: number, status: JobStatus, error: string | null, at: number): void;
  /** Returns when a job of the team last completed. */
  lastSuccess(team: string): number | undefined;
  expired(at: number): { num: number; id: string }[];
  remove(num: number): void;
}

const lifetimeMs = limits.jobLifetime * 1000;

interface JobRow extends Omit<Job, 'options' | 'scrapeOptions' | 'webhook' | 'seeded'> {
  options: string;
  scrape_options: string;
  webhook: string | null;
  seeded: number;
}

export function jobTable(database: DatabaseSync): JobTable {
  const insert = database.prepare(
    `INSERT INTO crawl_job (id, team, key_label, kind, url, options, scrape_options, webhook, idempotency_key, warning, status,
       created_at, expires_at, seeded, added, completed, failed, blocked, repeated, passed_over, credits)
     VALUES (:id, :team, :key_label, :kind, :url, :options, :scrape_options, :webhook, :idempotency_key, :warning, 'scraping',
       :created_at, :expires_at, 0, 0, 0, 0, 0, 0, 0, 0)`,
  );
  const find = database.prepare('SELECT * FROM crawl_job WHERE id = ?');
  const running = database.prepare(`SELECT * FROM crawl_job WHERE status = 'scraping' ORDER BY num`);
  const runningOf = database.prepare(
    `SELECT * FROM crawl_job WHERE team = ? AND status = 'scraping' ORDER BY num DESC`,
  );
  const ofTeam = database.prepare(
    'SELECT num, id, status, completed, expires_at FROM crawl_job WHERE team = ? ORDER BY num',
  );
  const hasKey = database.prepare('SELECT 1 FROM crawl_job WHERE team = ? AND idempotency_key = ?');
  const save = database.prepare(
    `UPDATE crawl_job SET added = :added, completed = :completed, failed = :failed, blocked = :blocked,
       repeated = :repeated, passed_over = :passed_over, credits = :credits, warning = :warning, found_at = :found_at
     WHERE num = :num`,
  );
  const setSeeded = database.prepare('UPDATE crawl_job SET seeded = 1 WHERE num = ?');
  const end = database.prepare(
    `UPDATE crawl_job SET status = ?, error = ?, ended_at = ?, expires_at = ? WHERE num = ? AND status = 'scraping'`,
  );
  const lastSuccess = database.prepare(
    `SELECT max(ended_at) AS at FROM crawl_job WHERE team = ? AND status = 'completed'`,
  );
  const expired = database.prepare(`SELECT num, id FROM crawl_job WHERE expires_at <= ? AND status <> 'scraping'`);
  const remove = database.prepare('DELETE FROM crawl_job WHERE num = ?');
  const jobOf = (row: unknown): Job => {
    const { options, scrape_options, webhook, seeded, ...rest } = row as JobRow;
    return {
      ...rest,
      options: JSON.parse(options) as CrawlOptions,
      scrapeOptions: JSON.parse(scrape_options) as ScrapeOptions,
      webhook: webhook === null ? undefined : (JSON.parse(webhook) as WebhookConfig),
      seeded: seeded === 1,
    };
  };
  return {
    insert(job) {
      insert.run({
        id: job.id,
        team: job.team,
        key_label: job.key_label,
        kind: job.kind,
        url: job.url,
        options: JSON.stringify(job.options),
        scrape_options: JSON.stringify(job.scrapeOptions),
        webhook: job.webhook ? JSON.stringify(job.webhook) : null,
        idempotency_key: job.idempotencyKey ?? null,
        warning: job.warning ?? null,
        created_at: job.createdAt,
        expires_at: job.createdAt + lifetimeMs,
      });
      return jobOf(find.get(job.id));
    },
    find: (id) => {
      const row = find.get(id);
      return row && jobOf(row);
    },
    running: () => running.all().map(jobOf),
    runningOf: (team) => runningOf.all(team).map(jobOf),
    ofTeam: (team) => ofTeam.all(team) as unknown as JobSummary[],
    hasKey: (team, key) => hasKey.get(team, key) !== undefined,
    save: ({ num, added, completed, failed, blocked, repeated, passed_over, credits, warning, found_at }) =>
      void save.run({ num, added, completed, failed, blocked, repeated, passed_over, credits, warning, found_at }),
    setSeeded: (num) => void setSeeded.run(num),
    end: (num, status, error, at) => void end.run(status, error, at, at + lifetimeMs, num),
    lastSuccess: (team) => (lastSuccess.get(team) as { at: number | null }).at ?? undefined,
    expired: (at) => expired.all(at) as { num: number; id: string }[],
    remove: (num) => void remove.run(num),
  };
}
