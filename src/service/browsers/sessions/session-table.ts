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
type SessionEnd = Pick<SessionRow, 'id' | 'status' | 'ended_at' | 'end_reason' | 'duration_ms' | 'credits_billed'> &
  Partial<Pick<SessionRow, 'last_activity_at'>>;

/** The stored sessions. */
export type SessionTable = ReturnType<typeof sessionTable>;

/** What a session's page shows. */
export interface SessionPage {
  id: string;
  url: string;
  title: string;
}

/** Maximum number of sessions in a list. */
const maxListed = 1000;

export function sessionTable(database: Database) {
  /** Changes a session that hasn't ended. */
  const changeOpen = (id: string, values: Partial<SessionRow>, db: Database) =>
    db.updateTable('browser_session').set(values).where('id', '=', id).where('ended_at', 'is', null).executeTakeFirst();

  return {
    async insert(row: NewSessionRow, db: Database = database): Promise<void> {
      await db.insertInto('browser_session').values(row).execute();
    },
    /** Stores the URLs and titles of sessions' pages. */
    async setPages(pages: readonly SessionPage[]): Promise<void> {
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
    /** Stores when sessions that run were last used, in wall-clock milliseconds. */
    async setActivity(sessions: readonly { id: string; lastActivityAt: number }[]): Promise<void> {
      await transaction(database, async (tx) => {
        for (const { id, lastActivityAt } of sessions) await changeOpen(id, { last_activity_at: lastActivityAt }, tx);
      });
    },
    async setLife(
      id: string,
      { activityTtl, expiresAt }: { activityTtl: number; expiresAt: number },
      db: Database = database,
    ): Promise<void> {
      await changeOpen(id, { activity_ttl: activityTtl, expires_at: expiresAt }, db);
    },
    /** Stores how a session ended, unless that is stored already. Returns whether it was. */
    async end({ id, ...values }: SessionEnd, db: Database = database): Promise<boolean> {
      return (await changeOpen(id, values, db)).numUpdatedRows > 0n;
    },
    /** Ends a session that its caller never received, without charging for it. */
    async abandon(id: string, at: number, db: Database = database): Promise<void> {
      const end = { status: 'error', ended_at: at, end_reason: 'it could not be started' } as const;
      await changeOpen(id, { ...end, duration_ms: 0, credits_billed: 0 }, db);
    },
    find: (id: string): Promise<SessionRow | undefined> =>
      database.selectFrom('browser_session').selectAll().where('id', '=', id).executeTakeFirst(),
    list(team: string, status?: SessionStatus): Promise<SessionRow[]> {
      const ofTeam = database.selectFrom('browser_session').selectAll().where('team', '=', team);
      return (status ? ofTeam.where('status', '=', status) : ofTeam)
        .orderBy('created_at', 'desc')
        .orderBy('num', 'desc')
        .limit(maxListed)
        .execute();
    },
    /** Returns sessions that were left behind without their end. */
    unended: (by: LeftBy): Promise<SessionRow[]> =>
      database.selectFrom('browser_session').selectAll().where('ended_at', 'is', null).where(leftBehind(by)).execute(),
    /** Returns the seconds from creation to expiry of a team's sessions that run or start, except one. */
    async lifetimes(team: string, except: string | undefined, db: Database = database): Promise<number[]> {
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
    /** Counts a session that starts toward its team's limits. */
    async insertStart(start: { id: string; team: string; ttl: number; node?: string | null }, db: Database = database) {
      await db.insertInto('session_start').values(start).execute();
    },
    async removeStart(id: string, db: Database = database): Promise<void> {
      await db.deleteFrom('session_start').where('id', '=', id).execute();
    },
    /** Removes starts that were left behind. */
    async removeStarts(by: LeftBy): Promise<void> {
      await database.deleteFrom('session_start').where(leftBehind(by)).execute();
    },
  };
}
