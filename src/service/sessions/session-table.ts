import type { DatabaseSync } from 'node:sqlite';

export type SessionStatus = 'active' | 'destroyed' | 'error';

/** A browser session as it is stored; times are wall-clock milliseconds, lifetimes seconds. */
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
  end(end: SessionEnd): void;
  find(id: string): SessionRow | undefined;
  list(team: string, status?: SessionStatus): SessionRow[];
  /** Sessions that were alive when the service last stopped did not outlive it. */
  endOrphans(at: number): number;
  remove(id: string): void;
}

/** How many sessions a list goes back. */
const listed = 1000;

export function sessionTable(database: DatabaseSync): SessionTable {
  const insert = database.prepare(
    `INSERT INTO browser_session (id, team, key_label, status, ttl, activity_ttl, stream_web_view, profile_name, profile_save, created_at, last_activity_at)
     VALUES (:id, :team, :key_label, :status, :ttl, :activity_ttl, :stream_web_view, :profile_name, :profile_save, :created_at, :last_activity_at)`,
  );
  const touch = database.prepare('UPDATE browser_session SET last_activity_at = ? WHERE id = ?');
  const setPage = database.prepare('UPDATE browser_session SET page_url = ?, page_title = ? WHERE id = ?');
  const end = database.prepare(
    `UPDATE browser_session SET status = :status, ended_at = :ended_at, end_reason = :end_reason, duration_ms = :duration_ms, credits_billed = :credits_billed
     WHERE id = :id AND ended_at IS NULL`,
  );
  const find = database.prepare('SELECT * FROM browser_session WHERE id = ?');
  const list = database.prepare(
    `SELECT * FROM browser_session WHERE team = :team AND (:status IS NULL OR status = :status) ORDER BY created_at DESC, rowid DESC LIMIT ${listed}`,
  );
  const endOrphans = database.prepare(
    `UPDATE browser_session SET status = 'destroyed', ended_at = max(last_activity_at, created_at), end_reason = 'the service ended',
       duration_ms = max(last_activity_at - created_at, 0)
     WHERE ended_at IS NULL AND created_at <= ?`,
  );
  const remove = database.prepare('DELETE FROM browser_session WHERE id = ?');
  return {
    insert: (row) => void insert.run({ ...row }),
    touch: (id, at) => void touch.run(at, id),
    setPage: (id, url, title) => void setPage.run(url, title, id),
    end: (values) => void end.run({ ...values }),
    find: (id) => find.get(id) as SessionRow | undefined,
    list: (team, status) => list.all({ team, status: status ?? null }) as unknown as SessionRow[],
    endOrphans: (at) => Number(endOrphans.run(at).changes),
    remove: (id) => void remove.run(id),
  };
}
