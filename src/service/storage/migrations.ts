/** The schema, step by step: a database at version N has had the first N. Never changed once released, only added to. */
export const migrations: readonly string[] = [
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
  `CREATE TABLE activity (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     job_id TEXT NOT NULL,
     team TEXT NOT NULL,
     endpoint TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     target TEXT NOT NULL
   ) STRICT;
   CREATE INDEX activity_by_team ON activity (team, created_at DESC, id DESC);
   CREATE INDEX activity_by_kind ON activity (team, endpoint, created_at DESC, id DESC);
   CREATE INDEX activity_by_age ON activity (created_at);
   CREATE TABLE credit_usage (
     team TEXT NOT NULL,
     month TEXT NOT NULL,
     key_label TEXT NOT NULL,
     kind TEXT NOT NULL,
     credits INTEGER NOT NULL,
     charges INTEGER NOT NULL,
     PRIMARY KEY (team, month, key_label, kind)
   ) STRICT, WITHOUT ROWID`,
];
