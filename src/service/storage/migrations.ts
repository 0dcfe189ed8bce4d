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
];
