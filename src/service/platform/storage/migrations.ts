/** A migration in SQLite's types, or one that differs between the databases or is for one of them only. */
type Migration = string | { sqlite?: string; postgres?: string };

const runs = `ALTER TABLE crawl_job ADD COLUMN runs INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE crawl_job ADD COLUMN runner TEXT;
   ALTER TABLE agent_job ADD COLUMN runs INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE agent_job ADD COLUMN runner TEXT`;

/**
 * The migrations that both databases have after their own first ones, in `sqlite-migrations.ts` and
 * `postgres-migrations.ts`. Released ones never change; new ones are appended.
 */
const migrations: readonly Migration[] = [
  // Jobs that gather data with a language model, and their steps.
  `CREATE TABLE agent_job (
     num INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     team TEXT NOT NULL,
     key_label TEXT NOT NULL,
     kind TEXT NOT NULL,
     request TEXT NOT NULL,
     status TEXT NOT NULL,
     error TEXT,
     warning TEXT,
     answer TEXT,
     model TEXT,
     credits INTEGER NOT NULL,
     active_ms INTEGER NOT NULL,
     created_at INTEGER NOT NULL,
     ended_at INTEGER,
     expires_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX agent_job_running ON agent_job (num) WHERE status = 'processing';
   CREATE INDEX agent_job_by_expiry ON agent_job (expires_at);
   CREATE TABLE agent_step (
     job INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     step TEXT NOT NULL,
     credits INTEGER NOT NULL,
     at INTEGER NOT NULL,
     PRIMARY KEY (job, seq)
   ) STRICT, WITHOUT ROWID`,
  // Sessions that agents open, and the keys that they connect with.
  `ALTER TABLE browser_session ADD COLUMN agent TEXT;
   CREATE TABLE agent_key (
     id TEXT PRIMARY KEY,
     team TEXT NOT NULL,
     name TEXT NOT NULL,
     digest TEXT NOT NULL UNIQUE,
     created_at INTEGER NOT NULL,
     last_used_at INTEGER
   ) STRICT`,
  // What a step did, apart from the step: a step can hold whole pages, which a status response doesn't need.
  {
    sqlite: `ALTER TABLE agent_step ADD COLUMN deed TEXT;
   UPDATE agent_step SET deed = json_extract(step, '$.deed') WHERE json_valid(step);
   CREATE INDEX agent_step_deeds ON agent_step (job, seq, deed, credits, at) WHERE deed IS NOT NULL`,
    postgres: `ALTER TABLE agent_step ADD COLUMN deed text;
   UPDATE agent_step SET deed = (step::json -> 'deed')::text`,
  },
  // What agents may do without asking, and what they have used of their budgets.
  `ALTER TABLE agent_key ADD COLUMN rules TEXT;
   ALTER TABLE agent_key ADD COLUMN used_runs INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE agent_key ADD COLUMN used_ms INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE agent_key ADD COLUMN used_credits INTEGER NOT NULL DEFAULT 0`,
  // The nodes that share this database.
  {
    postgres: `CREATE TABLE node (
     id text PRIMARY KEY,
     home text NOT NULL,
     url text NOT NULL,
     secret text NOT NULL,
     version text NOT NULL,
     started_at bigint NOT NULL,
     beat_at bigint NOT NULL,
     draining bigint NOT NULL,
     dead bigint NOT NULL
   )`,
  },
  // How often a service began to run a job, and which node did: a run that is not the latest stores nothing.
  {
    sqlite: runs,
    postgres: `${inPostgres(runs)};
   CREATE TABLE host_turn (
     host text PRIMARY KEY,
     node text NOT NULL,
     held_until bigint NOT NULL,
     left_at bigint NOT NULL,
     wanted_by text,
     pace text NOT NULL
   )`,
  },
  // Keys of teams and of the metrics, beside those of agents.
  `ALTER TABLE agent_key RENAME TO access_key;
   ALTER TABLE access_key ADD COLUMN kind TEXT NOT NULL DEFAULT 'agent'`,
  // The node that runs a session, starts one or writes a profile: none in SQLite, as only a service with PostgreSQL is one of many.
  `ALTER TABLE browser_session ADD COLUMN node TEXT;
   ALTER TABLE session_start ADD COLUMN node TEXT;
   ALTER TABLE profile_writer ADD COLUMN node TEXT`,
  // Which node has a job of the queues.
  {
    postgres: `CREATE TABLE job_claim (
     queue text NOT NULL,
     id text NOT NULL,
     node text NOT NULL,
     PRIMARY KEY (queue, id)
   )`,
  },
  // Pages that are read only for their links, and those that a crawl left out.
  `ALTER TABLE crawl_page ADD COLUMN for_links INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE crawl_job ADD COLUMN link_pages INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE crawl_job ADD COLUMN link_reads INTEGER NOT NULL DEFAULT 0;
   DROP INDEX crawl_page_waiting;
   CREATE INDEX crawl_page_waiting ON crawl_page (job, for_links, origin, id) WHERE state = 0;
   CREATE TABLE crawl_left_out (
     job INTEGER NOT NULL,
     reason TEXT NOT NULL,
     identity TEXT NOT NULL,
     url TEXT NOT NULL,
     PRIMARY KEY (job, reason, identity)
   ) STRICT, WITHOUT ROWID`,
  // How the pages of a job were read.
  `ALTER TABLE crawl_job ADD COLUMN rendered INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE crawl_page ADD COLUMN read_because TEXT`,
  // What pages lack, and the HTTP status that a scrape got.
  `ALTER TABLE crawl_job ADD COLUMN warned INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE crawl_page ADD COLUMN warning TEXT;
   ALTER TABLE activity ADD COLUMN status_code INTEGER`,
  // Long documents are compressed.
  'ALTER TABLE scrape_job ADD COLUMN packed BLOB',
  // What callers say of results.
  `CREATE TABLE feedback (
     id TEXT PRIMARY KEY,
     team TEXT NOT NULL,
     job_id TEXT NOT NULL,
     endpoint TEXT NOT NULL,
     body TEXT NOT NULL,
     created_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX feedback_by_team ON feedback (team, created_at)`,
  // What a crawl that repeats an earlier one compares with, and what it says of each page.
  `ALTER TABLE crawl_job ADD COLUMN since INTEGER;
   ALTER TABLE crawl_job ADD COLUMN new_pages INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE crawl_job ADD COLUMN same_pages INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE crawl_job ADD COLUMN changed_pages INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE crawl_job ADD COLUMN removed_pages INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE crawl_page ADD COLUMN change TEXT;
   ALTER TABLE crawl_document ADD COLUMN source BLOB;
   CREATE INDEX crawl_page_changed ON crawl_page (job, place) WHERE change <> 'same'`,
  // Monitors, their checks, and what these found.
  `CREATE TABLE monitor (
     id TEXT PRIMARY KEY,
     team TEXT NOT NULL,
     key_label TEXT NOT NULL,
     name TEXT NOT NULL,
     status TEXT NOT NULL,
     cron TEXT NOT NULL,
     timezone TEXT NOT NULL,
     targets TEXT NOT NULL,
     webhook TEXT,
     goal TEXT,
     retention_days INTEGER NOT NULL,
     next_run_at INTEGER,
     last_run_at INTEGER,
     current_check TEXT,
     last_summary TEXT,
     failures INTEGER NOT NULL DEFAULT 0,
     created_at INTEGER NOT NULL,
     updated_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX monitor_by_team ON monitor (team, created_at);
   CREATE INDEX monitor_due ON monitor (next_run_at) WHERE next_run_at IS NOT NULL;
   CREATE TABLE monitor_check (
     num INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     monitor TEXT NOT NULL,
     team TEXT NOT NULL,
     status TEXT NOT NULL,
     cause TEXT NOT NULL,
     scheduled_for INTEGER,
     started_at INTEGER,
     finished_at INTEGER,
     credits INTEGER NOT NULL DEFAULT 0,
     summary TEXT,
     error TEXT,
     created_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX monitor_check_of ON monitor_check (monitor, num);
   CREATE INDEX monitor_check_expiry ON monitor_check (expires_at);
   CREATE INDEX monitor_check_queued ON monitor_check (num) WHERE status = 'queued';
   CREATE TABLE monitor_page (
     check_id TEXT NOT NULL,
     seq INTEGER NOT NULL,
     status TEXT NOT NULL,
     packed BLOB NOT NULL,
     PRIMARY KEY (check_id, seq)
   ) STRICT`,
  // Whether changes are judged by the goal of a monitor.
  'ALTER TABLE monitor ADD COLUMN judge INTEGER NOT NULL DEFAULT 1',
  // Pages that a crawl found beyond its limit.
  'CREATE INDEX crawl_page_beyond ON crawl_page (job, id) WHERE state = 6',
  // Those that were found before this state was; an origin ends before the first slash after "http://".
  `INSERT INTO crawl_page (job, state, origin, url, identity, depth)
   SELECT job, 6, substr(url, 1, 7 + instr(substr(url, 9), '/')), url, identity, 1
   FROM crawl_left_out WHERE reason = 'limit' ON CONFLICT DO NOTHING;
   DELETE FROM crawl_left_out WHERE reason = 'limit'`,
];

/** What follows the first migrations of SQLite. */
export const laterInSqlite = migrations.flatMap((migration) =>
  typeof migration === 'string' ? migration : (migration.sqlite ?? []),
);

/** What follows the first migrations of PostgreSQL. */
export const laterInPostgres = migrations.flatMap((migration) =>
  typeof migration === 'string' ? inPostgres(migration) : (migration.postgres ?? []),
);

/** Writes a migration in PostgreSQL's types and functions. */
export function inPostgres(migration: string): string {
  return migration
    .replaceAll(/INTEGER PRIMARY KEY( AUTOINCREMENT)?/g, 'bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY')
    .replaceAll('INTEGER', 'bigint')
    .replaceAll('BLOB', 'bytea')
    .replaceAll('instr(', 'strpos(')
    .replaceAll(/\) STRICT(, WITHOUT ROWID)?/g, ')');
}
