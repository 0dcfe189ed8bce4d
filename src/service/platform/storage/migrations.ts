import { orderKey } from '../../../contract/crawl/page-order.ts';
import type { SqliteFile, SqliteMigration } from '../../../storage/storage.ts';
import { creationOf } from './columns.ts';
import { fleetTables, tables } from './schema.ts';

/** The indexes of both databases. */
const indexes = `
  CREATE INDEX IF NOT EXISTS browser_session_by_team ON browser_session (team, created_at DESC, num DESC);
  CREATE INDEX IF NOT EXISTS browser_session_unended ON browser_session (team) WHERE ended_at IS NULL;
  CREATE INDEX IF NOT EXISTS activity_by_team ON activity (team, created_at DESC, id DESC);
  CREATE INDEX IF NOT EXISTS activity_by_kind ON activity (team, endpoint, created_at DESC, id DESC);
  CREATE INDEX IF NOT EXISTS activity_by_age ON activity (created_at);
  CREATE INDEX IF NOT EXISTS feedback_by_team ON feedback (team, created_at);
  CREATE INDEX IF NOT EXISTS crawl_job_running ON crawl_job (num) WHERE status = 'scraping';
  CREATE INDEX IF NOT EXISTS crawl_job_by_team ON crawl_job (team, status, ended_at);
  CREATE INDEX IF NOT EXISTS crawl_job_by_expiry ON crawl_job (expires_at);
  CREATE UNIQUE INDEX IF NOT EXISTS crawl_job_by_idempotency ON crawl_job (team, idempotency_key) WHERE idempotency_key IS NOT NULL;
  CREATE INDEX IF NOT EXISTS crawl_page_waiting ON crawl_page (job, for_links, origin, id) WHERE state = 0;
  CREATE INDEX IF NOT EXISTS crawl_page_by_state ON crawl_page (job, state, place) WHERE state IN (2, 3);
  CREATE INDEX IF NOT EXISTS crawl_page_beyond ON crawl_page (job, id) WHERE state = 6;
  CREATE INDEX IF NOT EXISTS crawl_page_changed ON crawl_page (job, place) WHERE change <> 'same';
  CREATE INDEX IF NOT EXISTS scrape_job_by_age ON scrape_job (created_at);
  CREATE INDEX IF NOT EXISTS page_version_by_age ON page_version (team, scraped_at);
  CREATE INDEX IF NOT EXISTS agent_job_running ON agent_job (num) WHERE status = 'processing';
  CREATE INDEX IF NOT EXISTS agent_job_by_expiry ON agent_job (expires_at);
  CREATE INDEX IF NOT EXISTS monitor_by_team ON monitor (team, created_at);
  CREATE INDEX IF NOT EXISTS monitor_due ON monitor (next_run_at) WHERE next_run_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS monitor_check_of ON monitor_check (monitor, num);
  CREATE INDEX IF NOT EXISTS monitor_check_expiry ON monitor_check (expires_at);
  CREATE INDEX IF NOT EXISTS monitor_check_queued ON monitor_check (num) WHERE status = 'queued';
  CREATE INDEX IF NOT EXISTS webhook_delivery_first ON webhook_delivery (job_id, num) WHERE due_at IS NULL;
  CREATE INDEX IF NOT EXISTS webhook_delivery_due ON webhook_delivery (due_at) WHERE due_at IS NOT NULL`;

/** Those that would be too long for PostgreSQL, or that answer queries alone. */
const sqliteIndexes = `
  CREATE INDEX IF NOT EXISTS crawl_page_by_place ON crawl_page (job, place, state) WHERE place IS NOT NULL;
  CREATE INDEX IF NOT EXISTS crawl_page_by_folder ON crawl_page (job, folder, name, state) WHERE folder IS NOT NULL;
  CREATE INDEX IF NOT EXISTS webhook_delivery_due_of_team ON webhook_delivery (team, url, due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS agent_step_deeds ON agent_step (job, seq, deed, credits, at) WHERE deed IS NOT NULL`;

/** What is in `packed` is compressed already. */
const postgresOnly = `
  CREATE INDEX IF NOT EXISTS crawl_page_by_place ON crawl_page (job, place) WHERE place IS NOT NULL;
  CREATE INDEX IF NOT EXISTS crawl_page_by_folder ON crawl_page (job, folder) WHERE folder IS NOT NULL;
  ALTER TABLE crawl_document ALTER COLUMN packed SET STORAGE EXTERNAL;
  ALTER TABLE page_version ALTER COLUMN packed SET STORAGE EXTERNAL`;

/** Had other columns once. */
const dropOldIndexes = 'DROP INDEX IF EXISTS crawl_page_waiting; DROP INDEX IF EXISTS webhook_delivery_due_by_receiver';

/** Sets the sessions of version 0.1.0 aside. */
const beforeSessions = `
  DROP INDEX browser_session_by_team;
  ALTER TABLE browser_session RENAME TO old_session;
  ALTER TABLE interaction RENAME TO old_interaction`;

/** Takes these sessions over. */
const afterSessions = `
  INSERT INTO browser_session (num, id, team, key_label, status, ttl, activity_ttl, stream_web_view, profile_name, profile_save, created_at,
      last_activity_at, ended_at, end_reason, duration_ms, credits_billed, page_url, page_title, downloads)
    SELECT rowid, id, team, key_label, status, ttl, activity_ttl, stream_web_view, profile_name, profile_save, created_at,
      last_activity_at, ended_at, end_reason, duration_ms, credits_billed, page_url, page_title, downloads FROM old_session;
  INSERT INTO interaction (job_id, session_id, begun_at) SELECT job_id, session_id, begun_at FROM old_interaction;
  DROP TABLE old_interaction;
  DROP TABLE old_session`;

/** Adds the tables, columns and indexes that a file lacks. */
function complete(file: SqliteFile): void {
  const namesOf = file.prepare('SELECT name FROM pragma_table_info(?)');
  const columnsOf = (table: string) => new Set(namesOf.all(table).map(({ name }) => name));
  const sessions = columnsOf('browser_session');
  const hasOldSessions = sessions.size > 0 && !sessions.has('num');
  if (hasOldSessions) file.exec(beforeSessions);
  // Once, all keys were of agents.
  if (columnsOf('agent_key').size > 0)
    file.exec(`ALTER TABLE agent_key RENAME TO access_key;
      ALTER TABLE access_key ADD COLUMN kind TEXT NOT NULL DEFAULT 'agent'`);
  for (const [name, table] of Object.entries(tables)) {
    const known = columnsOf(name);
    if (known.size === 0) file.exec(creationOf(name, table));
    else
      for (const [column, { sql }] of Object.entries(table.columns))
        if (!known.has(column)) file.exec(`ALTER TABLE ${name} ADD COLUMN ${column} ${sql}`);
  }
  if (hasOldSessions) file.exec(afterSessions);
  file.exec(`${dropOldIndexes};${indexes};${sqliteIndexes}`);
}

/** Does the same in PostgreSQL. */
const completePostgres = [
  'ALTER TABLE IF EXISTS agent_key RENAME TO access_key',
  "ALTER TABLE IF EXISTS access_key ADD COLUMN IF NOT EXISTS kind text NOT NULL DEFAULT 'agent'",
  ...Object.entries({ ...tables, ...fleetTables }).flatMap(([name, table]) => [
    creationOf(name, table).replace('TABLE', 'TABLE IF NOT EXISTS'),
    // The others are as old as their tables.
    ...Object.entries(table.columns)
      .filter(([, { sql }]) => !/NOT NULL$|KEY|UNIQUE|REFERENCES/.test(sql))
      .map(([column, { sql }]) => `ALTER TABLE ${name} ADD COLUMN IF NOT EXISTS ${column} ${sql}`),
  ]),
  ...[dropOldIndexes, indexes, postgresOnly],
].map(inPostgres);

/** The version of the files of version 0.1.0, the first release. */
const first = 8;
/** The versions of the last files that were written before the next release. */
const lastUnreleased = { sqlite: 32, postgres: 24 };
const nothing = (count: number): string[] => Array.from({ length: count }, () => '');

/**
 * The migrations of SQLite: a file at version N has had the first N applied. New ones are appended. A new file gets all of
 * its tables with the first that completes it, so each has to do with tables that are complete already, and empty.
 */
export const sqliteMigrations: readonly SqliteMigration[] = [
  ...nothing(first),
  // Folders and names of pages are stored as keys that sort numbers by their value.
  (file) => {
    if (file.prepare('SELECT 1 FROM sqlite_master').get() === undefined) return;
    file.function('order_key', { deterministic: true }, (text) => orderKey(String(text)));
    file.exec('UPDATE crawl_page SET folder = order_key(folder), name = order_key(name) WHERE folder IS NOT NULL');
  },
  ...nothing(lastUnreleased.sqlite - first - 1),
  complete,
];

/** The migrations of PostgreSQL: a database whose `schema_version` is N has had the first N applied. Version 0.1.0 had none. */
export const postgresMigrations: readonly string[] = [
  ...nothing(lastUnreleased.postgres - 1),
  completePostgres.join(';\n'),
];

/** Writes statements in PostgreSQL's types. */
function inPostgres(statements: string): string {
  return statements
    .replaceAll(/INTEGER PRIMARY KEY( AUTOINCREMENT)?/g, 'bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY')
    .replaceAll('INTEGER', 'bigint')
    .replaceAll('BLOB', 'bytea')
    .replaceAll('COLLATE BINARY', 'COLLATE "C"')
    .replace(/ STRICT(, WITHOUT ROWID)?$/, '');
}
