import type { DatabaseSync } from 'node:sqlite';
import { limits } from '../../contract/limits.ts';
import type { ActivityEndpoint, ActivityItem } from '../../contract/team.ts';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';

/** A request that appears in the activity list. */
export interface ActivityRecord {
  /** Id of the job or session, as its retrieval endpoint accepts it. */
  id: string;
  team: string;
  endpoint: ActivityEndpoint;
  /** A URL or, for requests without one, a label such as `Browser session`. */
  target: string;
}

export interface ActivityQuery {
  endpoint?: ActivityEndpoint | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** The activity of all teams (specification, GET /v2/team/activity). */
export interface Activity {
  record(item: ActivityRecord): void;
  /** Returns items of the last 24 hours, newest first. A cursor continues after its page, regardless of newer items. Throws 400. */
  page(team: string, query: ActivityQuery): { data: ActivityItem[]; cursor: string | null; has_more: boolean };
  /** Deletes items older than 24 hours. */
  prune(): void;
}

interface ActivityRow {
  id: number;
  job_id: string;
  endpoint: string;
  created_at: number;
  target: string;
}

const windowMs = limits.activityWindow * 1000;
const maxTargetLength = 2048;

export function createActivity(database: DatabaseSync, clock: Clock): Activity {
  const insert = database.prepare(
    'INSERT INTO activity (job_id, team, endpoint, created_at, target) VALUES (?, ?, ?, ?, ?)',
  );
  // Without the hint, SQLite would scan past all items of other kinds.
  const select = (index: string, filter: string) =>
    database.prepare(
      `SELECT id, job_id, endpoint, created_at, target FROM activity INDEXED BY ${index}
       WHERE team = :team ${filter} AND created_at >= :since AND (created_at, id) < (:at, :id)
       ORDER BY created_at DESC, id DESC LIMIT :count`,
    );
  const selectAll = select('activity_by_team', '');
  const selectKind = select('activity_by_kind', 'AND endpoint = :endpoint');
  const remove = database.prepare('DELETE FROM activity WHERE created_at < ?');
  return {
    record({ id, team, endpoint, target }) {
      insert.run(id, team, endpoint, clock.now(), target.slice(0, maxTargetLength));
    },
    page(team, { endpoint, limit = limits.activityPage.default, cursor }) {
      const from = cursor === undefined ? newest : readCursor(cursor);
      const bounds = { team, since: clock.now() - windowMs, at: from.at, id: from.id, count: limit + 1 };
      const rows = (endpoint ? selectKind.all({ ...bounds, endpoint }) : selectAll.all(bounds)) as unknown[];
      const page = rows.slice(0, limit) as ActivityRow[];
      const last = page.at(-1);
      const more = rows.length > limit && last !== undefined;
      return {
        data: page.map(toItem),
        cursor: more ? writeCursor({ at: last.created_at, id: last.id }) : null,
        has_more: more,
      };
    },
    prune: () => void remove.run(clock.now() - windowMs),
  };
}

function toItem(row: ActivityRow): ActivityItem {
  return {
    id: row.job_id,
    endpoint: row.endpoint,
    api_version: 'v2',
    created_at: new Date(row.created_at).toISOString(),
    target: row.target,
  };
}

interface Position {
  at: number;
  id: number;
}
const newest: Position = { at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

function writeCursor({ at, id }: Position): string {
  return Buffer.from(`${at}:${id}`).toString('base64url');
}

function readCursor(cursor: string): Position {
  const match = /^(\d{1,15}):(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  const position = { at: Number(match?.[1]), id: Number(match?.[2]) };
  if (!match || writeCursor(position) !== cursor) {
    throw new ServiceError(400, 'Invalid cursor. Pass the cursor from the previous response, or omit it.', {
      code: 'BAD_REQUEST',
    });
  }
  return position;
}
