import { sql } from 'kysely';
import { limits } from '../../../contract/limits.ts';
import type { ActivityEndpoint, ActivityItem, ActivityQuery } from '../../../contract/team/team.ts';
import { isPostgres } from '../../../storage/storage.ts';
import type { Clock } from '../clock.ts';
import { badRequest } from '../errors.ts';
import { type Database, plainText, type Row } from '../storage/storage.ts';

/** A request that appears in the activity list. */
export interface ActivityRecord {
  /** Id of the job or session, as its retrieval endpoint accepts it. */
  id: string;
  team: string;
  endpoint: ActivityEndpoint;
  /** A URL or, for requests without one, a label such as `Browser session`. */
  target: string;
  /** HTTP status that the site answered with. */
  statusCode?: number | undefined;
}

/** The activity of all teams (specification, GET /v2/team/activity). */
export type Activity = ReturnType<typeof createActivity>;

type ActivityRow = Omit<Row<'activity'>, 'team'>;

const windowMs = limits.activityWindow * 1000;
const maxTargetLength = 2048;

export function createActivity(database: Database, clock: Clock) {
  // Without the hint, SQLite would scan past all items of other kinds.
  const index = (name: string) => (isPostgres(database) ? sql`` : sql`INDEXED BY ${sql.ref(name)}`);
  const byTeam = index('activity_by_team');
  const byKind = index('activity_by_kind');
  return {
    async record({ id, team, endpoint, target, statusCode }: ActivityRecord, db: Database = database): Promise<void> {
      const cut = plainText(target.slice(0, maxTargetLength));
      await db
        .insertInto('activity')
        .values({ job_id: id, team, endpoint, created_at: clock.now(), target: cut, status_code: statusCode ?? null })
        .execute();
    },
    /** Returns items of the last 24 hours, newest first. A cursor continues after its page, regardless of newer items. Throws 400. */
    async page(team: string, { endpoint, limit = limits.activityPage.default, cursor }: ActivityQuery) {
      const from = cursor === undefined ? newest : readCursor(cursor);
      const ofKind = endpoint === undefined ? sql`` : sql`AND endpoint = ${endpoint}`;
      const { rows } = await sql<ActivityRow>`
        SELECT id, job_id, endpoint, created_at, target, status_code FROM activity ${endpoint === undefined ? byTeam : byKind}
        WHERE team = ${team} ${ofKind} AND created_at >= ${clock.now() - windowMs}
          AND (created_at, id) < (${from.at}, ${from.id})
        ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`.execute(database);
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const more = rows.length > limit && last !== undefined;
      return {
        data: page.map(toItem),
        cursor: more ? writeCursor({ at: last.created_at, id: last.id }) : null,
        has_more: more,
      };
    },
    /** Returns whether a team made a request with this ID in the last 24 hours. */
    async has(team: string, id: string): Promise<boolean> {
      const { rows } = await sql`
        SELECT 1 FROM activity ${byTeam}
        WHERE team = ${team} AND created_at >= ${clock.now() - windowMs} AND job_id = ${id} LIMIT 1`.execute(database);
      return rows.length > 0;
    },
    /** Deletes at most `count` items older than 24 hours, the oldest first. Returns how many were deleted. */
    async prune(count: number): Promise<number> {
      const { numDeletedRows } = await database
        .deleteFrom('activity')
        .where('id', 'in', (of) =>
          of
            .selectFrom('activity')
            .select('id')
            .where('created_at', '<', clock.now() - windowMs)
            .orderBy('id')
            .limit(count),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function toItem(row: ActivityRow): ActivityItem {
  return {
    id: row.job_id,
    endpoint: row.endpoint,
    api_version: 'v2',
    created_at: new Date(row.created_at).toISOString(),
    target: row.target,
    ...(row.status_code !== null && { status_code: row.status_code }),
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
  if (!match || writeCursor(position) !== cursor)
    throw badRequest('Invalid cursor. Pass the cursor from the previous response, or omit it.');
  return position;
}
