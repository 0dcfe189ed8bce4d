import { laterInSqlite } from './migrations.ts';

/** Tables that PostgreSQL began with, too. */
export const tables = {
  session: `CREATE TABLE browser_session (
     num INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     team TEXT NOT NULL,
     key_label TEXT NOT NULL,
     status TEXT NOT NULL,
     ttl INTEGER NOT NULL,
     activity_ttl INTEGER NOT NULL,
     stream_web_view INTEGER NOT NULL,
     profile_name TEXT,
     profile_save INTEGER,
     created_at INTEGER NOT NULL,
     last_activity_at INTEGER NOT NULL,
     expires_at INTEGER,
     ended_at INTEGER,
     end_reason TEXT,
     duration_ms INTEGER,
     credits_billed INTEGER,
     page_url TEXT,
     page_title TEXT,
     downloads TEXT
   ) STRICT`,
  sessionParts: `CREATE INDEX browser_session_by_team ON browser_session (team, created_at DESC, num DESC);
   CREATE INDEX browser_session_unended ON browser_session (team) WHERE ended_at IS NULL;
   CREATE TABLE session_start (id TEXT PRIMARY KEY, team TEXT NOT NULL, ttl INTEGER NOT NULL) STRICT;
   CREATE TABLE profile_writer (profile TEXT PRIMARY KEY) STRICT, WITHOUT ROWID`,
  interaction: `CREATE TABLE interaction (
     job_id TEXT PRIMARY KEY,
     session_id TEXT NOT NULL REFERENCES browser_session (id),
     begun_at INTEGER NOT NULL
   ) STRICT`,
  activity: `CREATE TABLE activity (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     job_id TEXT NOT NULL,
     team TEXT NOT NULL,
     endpoint TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     target TEXT NOT NULL
   ) STRICT;
   CREATE INDEX activity_by_team ON activity (team, created_at DESC, id DESC);
   CREATE INDEX activity_by_kind ON activity (team, endpoint, created_at DESC, id DESC);
   CREATE INDEX activity_by_age ON activity (created_at)`,
  crawlJob: `CREATE TABLE crawl_job (
     num INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     team TEXT NOT NULL,
     key_label TEXT NOT NULL,
     kind TEXT NOT NULL,
     url TEXT NOT NULL,
     options TEXT NOT NULL,
     scrape_options TEXT NOT NULL,
     webhook TEXT,
     idempotency_key TEXT,
     status TEXT NOT NULL,
     error TEXT,
     warning TEXT,
     created_at INTEGER NOT NULL,
     ended_at INTEGER,
     expires_at INTEGER NOT NULL,
     seeded INTEGER NOT NULL,
     found_at TEXT,
     added INTEGER NOT NULL,
     completed INTEGER NOT NULL,
     failed INTEGER NOT NULL,
     blocked INTEGER NOT NULL,
     repeated INTEGER NOT NULL,
     passed_over INTEGER NOT NULL,
     credits INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX crawl_job_running ON crawl_job (num) WHERE status = 'scraping';
   CREATE INDEX crawl_job_by_team ON crawl_job (team, status, ended_at);
   CREATE INDEX crawl_job_by_expiry ON crawl_job (expires_at);
   CREATE UNIQUE INDEX crawl_job_by_idempotency ON crawl_job (team, idempotency_key) WHERE idempotency_key IS NOT NULL`,
  crawlDocument: `CREATE TABLE crawl_document (
     job INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     scrape_id TEXT NOT NULL UNIQUE,
     document TEXT NOT NULL,
     replay TEXT NOT NULL,
     PRIMARY KEY (job, seq)
   ) STRICT`,
  scrapeJob: `CREATE TABLE scrape_job (
     id TEXT PRIMARY KEY,
     team TEXT NOT NULL,
     key_label TEXT NOT NULL,
     url TEXT NOT NULL,
     document TEXT NOT NULL,
     replay TEXT NOT NULL,
     created_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX scrape_job_by_age ON scrape_job (created_at)`,
  webhookDelivery: `CREATE TABLE webhook_delivery (
     num INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     team TEXT NOT NULL,
     job_id TEXT NOT NULL,
     type TEXT NOT NULL,
     url TEXT NOT NULL,
     headers TEXT NOT NULL,
     body TEXT NOT NULL,
     attempts INTEGER NOT NULL,
     due_at INTEGER,
     created_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX webhook_delivery_first ON webhook_delivery (job_id, num) WHERE due_at IS NULL;
   CREATE INDEX webhook_delivery_due ON webhook_delivery (due_at) WHERE due_at IS NOT NULL`,
  unreadableRow: `CREATE TABLE unreadable_row (
     id INTEGER PRIMARY KEY,
     source TEXT NOT NULL,
     content TEXT NOT NULL,
     reason TEXT NOT NULL,
     found_at INTEGER NOT NULL
   ) STRICT`,
} as const;

/**
 * The schema's migrations: a database at version N has had the first N applied. Released ones never change; new ones are
 * appended to those of both databases. They may call `order_key`.
 */
export const sqliteMigrations: readonly string[] = [
  `CREATE TABLE browser_session (
     id TEXT PRIMARY KEY,
     team TEXT NOT NULL,
     key_label TEXT NOT NULL,
     status TEXT NOT NULL,
     ttl INTEGER NOT NULL,
     activity_ttl INTEGER NOT NULL,
     stream_web_view INTEGER NOT NULL,
     profile_name TEXT,
     profile_save INTEGER,
     created_at INTEGER NOT NULL,
     last_activity_at INTEGER NOT NULL,
     ended_at INTEGER,
     end_reason TEXT,
     duration_ms INTEGER,
     credits_billed INTEGER,
     page_url TEXT,
     page_title TEXT
   ) STRICT;
   CREATE INDEX browser_session_by_team ON browser_session (team, created_at DESC, id DESC)`,
  `${tables.activity};
   CREATE TABLE credit_usage (
     team TEXT NOT NULL,
     month TEXT NOT NULL,
     key_label TEXT NOT NULL,
     kind TEXT NOT NULL,
     credits INTEGER NOT NULL,
     charges INTEGER NOT NULL,
     PRIMARY KEY (team, month, key_label, kind)
   ) STRICT, WITHOUT ROWID`,
  `${tables.crawlJob};
   CREATE TABLE crawl_page (
     id INTEGER PRIMARY KEY,
     job INTEGER NOT NULL,
     origin TEXT NOT NULL,
     url TEXT NOT NULL,
     identity TEXT NOT NULL,
     depth INTEGER NOT NULL,
     state INTEGER NOT NULL,
     code TEXT,
     error TEXT,
     ended_at INTEGER,
     UNIQUE (job, identity)
   ) STRICT;
   CREATE INDEX crawl_page_waiting ON crawl_page (job, origin, id) WHERE state = 0;
   CREATE INDEX crawl_page_failed ON crawl_page (job, state, id) WHERE state IN (2, 3);
   ${tables.crawlDocument}`,
  'ALTER TABLE browser_session ADD COLUMN downloads TEXT',
  tables.scrapeJob,
  tables.interaction,
  `${tables.webhookDelivery};
   CREATE INDEX webhook_delivery_due_by_receiver ON webhook_delivery (url, due_at) WHERE due_at IS NOT NULL`,
  // The list of pages: where each stands in it, and what is shown of it. A page's URL after redirects is folder || name.
  `ALTER TABLE crawl_page ADD COLUMN place INTEGER;
   ALTER TABLE crawl_page ADD COLUMN seq INTEGER;
   ALTER TABLE crawl_page ADD COLUMN folder TEXT;
   ALTER TABLE crawl_page ADD COLUMN name TEXT;
   ALTER TABLE crawl_page ADD COLUMN title TEXT;
   ALTER TABLE crawl_page ADD COLUMN status_code INTEGER;
   DROP INDEX crawl_page_failed;
   CREATE INDEX crawl_page_by_state ON crawl_page (job, state, place) WHERE state IN (2, 3);
   CREATE INDEX crawl_page_by_place ON crawl_page (job, place, state) WHERE place IS NOT NULL;
   CREATE INDEX crawl_page_by_folder ON crawl_page (job, folder, name, state) WHERE folder IS NOT NULL`,
  // Folders and names are stored as keys that sort numbers by their value.
  'UPDATE crawl_page SET folder = order_key(folder), name = order_key(name) WHERE folder IS NOT NULL',
  // What creation is checked against, documents that are stored compressed, and rows that can't be read.
  `ALTER TABLE browser_session RENAME TO old_session;
   DROP INDEX browser_session_by_team;
   ${tables.session};
   INSERT INTO browser_session (num, id, team, key_label, status, ttl, activity_ttl, stream_web_view, profile_name, profile_save, created_at,
       last_activity_at, ended_at, end_reason, duration_ms, credits_billed, page_url, page_title, downloads)
     SELECT rowid, id, team, key_label, status, ttl, activity_ttl, stream_web_view, profile_name, profile_save, created_at,
       last_activity_at, ended_at, end_reason, duration_ms, credits_billed, page_url, page_title, downloads FROM old_session;
   ${tables.interaction.replace('interaction', 'new_interaction')};
   INSERT INTO new_interaction SELECT job_id, session_id, begun_at FROM interaction;
   DROP TABLE interaction;
   DROP TABLE old_session;
   ALTER TABLE new_interaction RENAME TO interaction;
   ${tables.sessionParts};
   ALTER TABLE crawl_document ADD COLUMN packed BLOB;
   ${tables.unreadableRow}`,
  // Versions of pages for the changeTracking format.
  `CREATE TABLE page_version (
     team TEXT NOT NULL,
     tag TEXT NOT NULL,
     url TEXT NOT NULL,
     scraped_at INTEGER NOT NULL,
     digest TEXT NOT NULL,
     packed BLOB,
     bytes INTEGER NOT NULL,
     PRIMARY KEY (team, tag, url)
   ) STRICT;
   CREATE INDEX page_version_by_age ON page_version (team, scraped_at);
   ALTER TABLE crawl_page ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0`,
  ...laterInSqlite,
];
