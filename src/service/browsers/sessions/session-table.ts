import { transaction } from '../../../storage/storage.ts';
import {
  type Database,
  type LeftBy,
  leftBehind,
  type NewRow,
  plainText,
  type Row,
} from '../../platform/storage/storage.ts';

export type SessionStatus = 'active' | 'destroyed' | 'error';

/** A stored browser session; times are in wall-clock milliseconds, ttls in seconds. */
export type SessionRow = Row<'browser_session'>;
export type NewSessionRow = NewRow<'browser_session'>;

/** How a session ended. */
export interface SessionEnd {
  id: string;
  status: SessionStatus;
  last_activity_at?: number;
  ended_at: number;
  end_reason: string;
  duration_ms: number;
  credits_billed: number;
}

/** The stored sessions. */
export interface SessionTable {
  insert(row: NewSessionRow, db?: Database): Promise<void>;
  /** Stores the URLs and titles of sessions' pages. */
  setPages(pages: readonly SessionPage[]): Promise<void>;
  /** Stores when sessions that run were last used, in wall-clock milliseconds. */
  setActivity(sessions: readonly { id: string; lastActivityAt: number }[]): Promise<void>;
  setLife(id: string, life: { activityTtl: number; expiresAt: number }, db?: Database): Promise<void>;
  /** Stores how a session ended, unless that is stored already. Returns whether it was. */
  end(end: SessionEnd, db?: Database): Promise<boolean>;
  /** Ends a session that its caller never received, without charging for it. */
  abandon(id: string, at: number, db?: Database): Promise<void>;
  find(id: string): Promise<SessionRow | undefined>;
  list(team: string, status?: SessionStatus): Promise<SessionRow[]>;
  /** Returns sessions that were left behind without their end. */
  unended(by: LeftBy): Promise<SessionRow[]>;
  /** Returns the seconds from creation to expiry of a team's sessions that run or start, except one. */
  lifetimes(team: string, except: string | undefined, db?: Database): Promise<number[]>;
  /** Counts a session that starts toward its team's limits. */
  insertStart(start: { id: string; team: string; ttl: number; node?: string | null }, db?: Database): Promise<void>;
  removeStart(id: string, db?: Database): Promise<void>;
  /** Removes starts that were left behind. */
  removeStarts(by: LeftBy): Promise<void>;
}

/** What a session's page shows. */
export interface SessionPage {
  id: string;
  url: string;
  title: string;
}

/** Maximum number of sessions in a list. */
const maxListed = 1000;

export function sessionTable(database: Database): SessionTable {
  return {
    async insert(row, db = database) {
      await db.insertInto('browser_session').values(row).execute();
    },
    async setPages(pages) {
      await transaction(database, async (tx) => {
        for (const { id, url, title } of pages) {
          await tx
            .updateTable('browser_session')
            .set({ page_url: plainText(url), page_title: plainText(title) })
            .where('id', '=', id)
            .execute();
        }
      });
    },
    async setActivity(sessions) {
      await transaction(database, async (tx) => {
        for (const { id, lastActivityAt } of sessions) {
          await tx
            .updateTable('browser_session')
            .set({ last_activity_at: lastActivityAt })
            .where('id', '=', id)
            .where('ended_at', 'is', null)
            .execute();
        }
      });
    },
    async setLife(id, { activityTtl, expiresAt }, db = database) {
      await db
        .updateTable('browser_session')
        .set({ activity_ttl: activityTtl, expires_at: expiresAt })
        .where('id', '=', id)
        .where('ended_at', 'is', null)
        .execute();
    },
    async end({ id, ...values }, db = database) {
      const { numUpdatedRows } = await db
        .updateTable('browser_session')
        .set(values)
        .where('id', '=', id)
        .where('ended_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async abandon(id, at, db = database) {
      await db
        .updateTable('browser_session')
        .set({
          ...{ status: 'error', ended_at: at, end_reason: 'it could not be started' },
          ...{ duration_ms: 0, credits_billed: 0 },
        })
        .where('id', '=', id)
        .where('ended_at', 'is', null)
        .execute();
    },
    find: (id) => database.selectFrom('browser_session').selectAll().where('id', '=', id).executeTakeFirst(),
    list(team, status) {
      const ofTeam = database.selectFrom('browser_session').selectAll().where('team', '=', team);
      return (status ? ofTeam.where('status', '=', status) : ofTeam)
        .orderBy('created_at', 'desc')
        .orderBy('num', 'desc')
        .limit(maxListed)
        .execute();
    },
    unended: (by) =>
      database.selectFrom('browser_session').selectAll().where('ended_at', 'is', null).where(leftBehind(by)).execute(),
    async lifetimes(team, except, db = database) {
      const running = await db
        .selectFrom('browser_session')
        .select(['id', 'ttl', 'created_at', 'expires_at'])
        .where('team', '=', team)
        .where('ended_at', 'is', null)
        .execute();
      const starting = await db.selectFrom('session_start').select('ttl').where('team', '=', team).execute();
      return [
        ...running
          .filter(({ id }) => id !== except)
          .map(({ ttl, created_at, expires_at }) =>
            expires_at === null ? ttl : Math.ceil((expires_at - created_at) / 1000),
          ),
        ...starting.map(({ ttl }) => ttl),
      ];
    },
    async insertStart(start, db = database) {
      await db.insertInto('session_start').values(start).execute();
    },
    async removeStart(id, db = database) {
      await db.deleteFrom('session_start').where('id', '=', id).execute();
    },
    async removeStarts(by) {
      await database.deleteFrom('session_start').where(leftBehind(by)).execute();
    },
  };
}
