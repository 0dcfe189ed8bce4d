import type { DatabaseSync } from 'node:sqlite';

export type SessionStatus = 'active' | 'destroyed' | 'error';

/** A stored browser session; times are in wall-clock milliseconds, ttls in seconds. */
export interface SessionRow {
  id: string;
  team: string;
  key_label: string;
  status: SessionStatus;
  ttl: number;
  activity_ttl: number;
  stream_web_view: number;
  profile_name: string | null;
  profile_save: number | null;
  created_at: number;
  last_activity_at: number;
  ended_at: number | null;
  end_reason: string | null;
  duration_ms: number | null;
  credits_billed: number | null;
  page_url: string | null;
  page_title: string | null;
  /** Folder for its downloads. */
  downloads: string | null;
}

export type NewSessionRow = Omit<
  SessionRow,
  'ended_at' | 'end_reason' | 'duration_ms' | 'credits_billed' | 'page_url' | 'page_title'
>;

/** How a session ended. */
export interface SessionEnd {
  id: string;
  status: SessionStatus;
  ended_at: number;
  end_reason: string;
  duration_ms: number;
  credits_billed: number;
}

/** The stored sessions. */
export interface SessionTable {
  insert(row: NewSessionRow): void;
  touch(id: string, at: number): void;
  setPage(id: string, url: string, title: string): void;
  setActivityTtl(id: string, seconds: number): void;
  end(end: SessionEnd): void;
  find(id: string): SessionRow | undefined;
  list(team: string, status?: SessionStatus): SessionRow[];
  /** Returns sessions whose end was never recorded. */
  unended(): SessionRow[];
}

/** Maximum number of sessions in a list. */
const maxListed = 1000;

export function sessionTable(database: DatabaseSync): SessionTable {
  const insert = database.prepare(
    `INSERT INTO browser_session (id, team, key_label, status, ttl, activity_ttl, stream_web_view, profile_name, profile_save, created_at, last_activity_at, downloads)
     VALUES (:id, :team, :key_label, :status, :ttl, :activity_ttl, :stream_web_view, :profile_name, :profile_save, :created_at, :last_activity_at, :downloads)`,
  );
  const touch = database.prepare('UPDATE browser_session SET last_activity_at = ? WHERE id = ?');
  const setPage = database.prepare('UPDATE browser_session SET page_url = ?, page_title = ? WHERE id = ?');
  const setActivityTtl = database.prepare('UPDATE browser_session SET activity_ttl = ? WHERE id = ?');
  const end = database.prepare(
    `UPDATE browser_session SET status = :status, ended_at = :ended_at, end_reason = :end_reason, duration_ms = :duration_ms, credits_billed = :credits_billed
     WHERE id = :id AND ended_at IS NULL`,
  );
  const find = database.prepare('SELECT * FROM browser_session WHERE id = ?');
  const list = database.prepare(
    `SELECT * FROM browser_session WHERE team = :team AND (:status IS NULL OR status = :status) ORDER BY created_at DESC, rowid DESC LIMIT ${maxListed}`,
  );
  const unended = database.prepare('SELECT * FROM browser_session WHERE ended_at IS NULL');
  return {
    insert: (row) => void insert.run({ ...row }),
    touch: (id, at) => void touch.run(at, id),
    setPage: (id, url, title) => void setPage.run(url, title, id),
    setActivityTtl: (id, seconds) => void setActivityTtl.run(seconds, id),
    end: (values) => void end.run({ ...values }),
    find: (id) => find.get(id) as SessionRow | undefined,
    list: (team, status) => list.all({ team, status: status ?? null }) as unknown as SessionRow[],
    unended: () => unended.all() as unknown as SessionRow[],
  };
}
