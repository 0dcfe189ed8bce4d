import { sql } from 'kysely';
import { limits } from '../../../contract/limits.ts';
import type { MonitorCheckPage, MonitorSummary, MonitorTarget } from '../../../contract/monitors.ts';
import { packText, unpackText } from '../../platform/storage/packed-text.ts';
import type { Database, Row } from '../../platform/storage/storage.ts';

export type MonitorRow = Row<'monitor'>;
export type CheckRow = Row<'monitor_check'>;

/** Returns what a monitor reads. */
export function targetsOf({ targets }: Pick<MonitorRow, 'targets'>): MonitorTarget[] {
  return JSON.parse(targets) as MonitorTarget[];
}

/** Name of the history that the pages of a monitor are compared with. */
export const tagOf = (monitorId: string) => `monitor:${monitorId}`;

export async function findMonitor(db: Database, id: string): Promise<MonitorRow | undefined> {
  return await db.selectFrom('monitor').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findCheck(db: Database, id: string): Promise<CheckRow | undefined> {
  return await db.selectFrom('monitor_check').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Adds what a part of a check cost. */
export async function addCredits(db: Database, checkId: string, credits: number): Promise<void> {
  await db
    .updateTable('monitor_check')
    .set((eb) => ({ credits: eb('credits', '+', credits) }))
    .where('id', '=', checkId)
    .execute();
}

/** Stores what a check found on a page. */
export async function storePage(db: Database, checkId: string, seq: number, page: MonitorCheckPage): Promise<void> {
  const packed = await packText(JSON.stringify(page));
  const status = page.status as Row<'monitor_page'>['status'];
  await db.insertInto('monitor_page').values({ check_id: checkId, seq, status, packed }).execute();
}

/** Returns pages of a check, in order. */
export async function pagesOf(
  db: Database,
  checkId: string,
  { limit, skip, status }: { limit: number; skip: number; status?: Row<'monitor_page'>['status'] | undefined },
): Promise<MonitorCheckPage[]> {
  let query = db.selectFrom('monitor_page').select('packed').where('check_id', '=', checkId);
  if (status) query = query.where('status', '=', status);
  const rows = await query.orderBy('seq').limit(limit).offset(skip).execute();
  return await Promise.all(rows.map(async ({ packed }) => JSON.parse(await unpackText(packed)) as MonitorCheckPage));
}

/** Returns which pages a check has, by their position. */
export async function donePages(db: Database, checkId: string): Promise<Set<number>> {
  const rows = await db.selectFrom('monitor_page').select('seq').where('check_id', '=', checkId).execute();
  return new Set(rows.map(({ seq }) => seq));
}

/** Counts the pages of a check by status. */
export async function summaryOf(db: Database, checkId: string): Promise<MonitorSummary> {
  const rows = await db
    .selectFrom('monitor_page')
    .select(['status', sql<number>`count(*)`.as('count')])
    .where('check_id', '=', checkId)
    .groupBy('status')
    .execute();
  const counts = { totalPages: 0, same: 0, changed: 0, new: 0, removed: 0, error: 0 };
  for (const { status, count } of rows) {
    counts[status] = Number(count);
    counts.totalPages += Number(count);
  }
  return counts;
}

/** Removes a monitor with its checks and the versions of its pages. */
export async function removeMonitor(db: Database, { id, team }: MonitorRow): Promise<void> {
  const checks = db.selectFrom('monitor_check').select('id').where('monitor', '=', id);
  await db.deleteFrom('monitor_page').where('check_id', 'in', checks).execute();
  await db.deleteFrom('monitor_check').where('monitor', '=', id).execute();
  await db.deleteFrom('page_version').where('team', '=', team).where('tag', '=', tagOf(id)).execute();
  await db.deleteFrom('monitor').where('id', '=', id).execute();
}

/** Removes some checks that have expired. Returns how many. */
export async function removeExpired(db: Database, now: number, count: number): Promise<number> {
  const rows = await db
    .selectFrom('monitor_check')
    .select('id')
    .where('expires_at', '<', now)
    .where('status', '!=', 'queued')
    .limit(count)
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await db.deleteFrom('monitor_page').where('check_id', 'in', ids).execute();
  await db.deleteFrom('monitor_check').where('id', 'in', ids).execute();
  return ids.length;
}

/** Whether a team can have another monitor. */
export async function hasRoom(db: Database, team: string): Promise<boolean> {
  const rows = await db
    .selectFrom('monitor')
    .select('id')
    .where('team', '=', team)
    .limit(limits.monitors.count)
    .execute();
  return rows.length < limits.monitors.count;
}
