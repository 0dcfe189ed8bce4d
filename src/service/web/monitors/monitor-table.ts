import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { limits } from '../../../contract/limits.ts';
import type { MonitorCheckPage, MonitorSummary, MonitorTarget } from '../../../contract/monitors.ts';
import { jsonOf } from '../../platform/large-json.ts';
import type { Database, Row } from '../../platform/storage/storage.ts';
import { packText, unpackBytes } from '../../platform/storage/text.ts';

export type MonitorRow = Row<'monitor'>;
export type CheckRow = Row<'monitor_check'>;

/** Pages of a check that are read at once. */
const rowsAtATime = 5;
const mostBytes = limits.documentsPage.bytes;

/** Which part of a list is read. */
interface PageRange {
  limit: number;
  skip: number;
  /** Of all together. */
  bytes?: number;
}

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

/** Returns what a check found on a page as it is stored. */
export async function packPage(checkId: string, seq: number, page: MonitorCheckPage): Promise<Row<'monitor_page'>> {
  const status = page.status as Row<'monitor_page'>['status'];
  return { check_id: checkId, seq, status, packed: await packText(await jsonOf(page)) };
}

/** Returns the JSON of pages of a check, in order, in UTF-8: as many as fit into `bytes`, but at least one; and whether more follow. */
export async function pagesOf(
  db: Database,
  checkId: string,
  { limit, skip, bytes = mostBytes, status }: PageRange & { status?: Row<'monitor_page'>['status'] | undefined },
): Promise<{ texts: Buffer[]; more: boolean }> {
  let query = db.selectFrom('monitor_page').select('packed').where('check_id', '=', checkId);
  if (status) query = query.where('status', '=', status);
  const texts: Buffer[] = [];
  for (let room = bytes; ; ) {
    // A small row may have a large text.
    const rows = await query
      .orderBy('seq')
      .limit(rowsAtATime)
      .offset(skip + texts.length)
      .execute();
    for (const { packed } of rows) {
      const text = texts.length < limit ? await unpackBytes(packed) : undefined;
      if (!text || (texts.length > 0 && text.byteLength > room)) return { texts, more: true };
      room -= text.byteLength;
      texts.push(text);
    }
    if (rows.length < rowsAtATime) return { texts, more: false };
  }
}

/** Returns monitors of a team, the newest first: as many as fit into `bytes`, but at least one; and whether more follow. */
export async function monitorsOf(
  db: Database,
  team: string,
  { limit, skip, bytes = mostBytes }: PageRange,
): Promise<{ rows: MonitorRow[]; more: boolean }> {
  const newest = db
    .selectFrom('monitor')
    .where('team', '=', team)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .offset(skip);
  const sizes = await newest
    .select(sql<number>`octet_length(targets)`.as('size'))
    .limit(limit + 1)
    .execute();
  let total = 0;
  const fitting = sizes.slice(0, limit).filter(({ size }, index) => {
    total += size;
    return index === 0 || total <= bytes;
  });
  const rows = await newest.selectAll().limit(fitting.length).execute();
  return { rows, more: fitting.length < sizes.length };
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

/** When what stands for a deleted monitor expires: before all checks. */
const deletedAt = 0;

/** Removes a monitor. What it found may be too much for one transaction: a check that has expired leads `removeExpired` to it. */
export async function removeMonitor(db: Database, { id, team }: MonitorRow): Promise<void> {
  await db.deleteFrom('monitor').where('id', '=', id).execute();
  const sign = { id: randomUUID(), monitor: id, team, created_at: deletedAt, expires_at: deletedAt };
  await db
    .insertInto('monitor_check')
    .values({ ...sign, status: 'completed', cause: 'manual' })
    .execute();
}

/** Removes some of what deleted monitors found, then of checks that have expired: at most `count` rows of a table. Returns 0 if there is none. */
export async function removeExpired(db: Database, now: number, count: number): Promise<number> {
  const expired = await db
    .selectFrom('monitor_check')
    .select(['id', 'monitor', 'team', 'expires_at'])
    .where('expires_at', '<', now)
    .where('status', '!=', 'queued')
    .orderBy('expires_at')
    .limit(count)
    .execute();
  const [first] = expired;
  if (first?.expires_at !== deletedAt) return await removeChecks(db, expired, count);
  const { id, monitor, team } = first;
  const tag = tagOf(monitor);
  const versions = db.selectFrom('page_version').select('url').where('team', '=', team).where('tag', '=', tag);
  const urls = (await versions.limit(count).execute()).map(({ url }) => url);
  if (urls.length > 0) {
    const old = db.deleteFrom('page_version').where('team', '=', team).where('tag', '=', tag);
    await old.where('url', 'in', urls).execute();
    return urls.length;
  }
  const others = db.selectFrom('monitor_check').select('id').where('monitor', '=', monitor).where('id', '!=', id);
  const checks = await others.limit(count).execute();
  return await removeChecks(db, checks.length > 0 ? checks : [first], count);
}

/** Removes some pages of checks, and the checks that have no more. Returns how many checks there are. */
async function removeChecks(db: Database, checks: readonly Pick<CheckRow, 'id'>[], count: number): Promise<number> {
  if (checks.length === 0) return 0;
  const ids = checks.map(({ id }) => id);
  const pages = db.selectFrom('monitor_page').where('check_id', 'in', ids);
  const some = pages.select(['check_id', 'seq']).limit(count).$asTuple('check_id', 'seq');
  await db
    .deleteFrom('monitor_page')
    .where(({ eb, refTuple }) => eb(refTuple('check_id', 'seq'), 'in', some))
    .execute();
  await db.deleteFrom('monitor_check').where('id', 'in', ids).where('id', 'not in', pages.select('check_id')).execute();
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
