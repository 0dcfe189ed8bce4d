import { sql } from 'kysely';
import { type LeftOutReason, leftOutLimits } from '../../../../contract/crawl/left-out.ts';
import { isObject, jsonIn } from '../../../../contract/lenient-texts.ts';
import { type Database, jsonRows } from '../../../platform/storage/storage.ts';
import type { FoundForm } from '../choice-pages.ts';
import { type CountedPages, storedIdentity } from './frontier.ts';

/** A page that a crawl found and left out. */
export interface LeftOutPage {
  job: number;
  reason: LeftOutReason;
  identity: string;
  url: string;
}

const columns = { job: 'bigint', reason: 'text', identity: 'text', url: 'text' } as const;

export type LeftOut = ReturnType<typeof leftOutPages>;

/** The pages that crawls found and left out, up to a number for each reason, and the forms that may lead to others. */
export function leftOutPages(database: Database) {
  const keyOf = storedIdentity(database);
  return {
    /** Adds pages, each once for a reason. */
    async add(pages: readonly LeftOutPage[], db: Database): Promise<void> {
      const rows = pages.map((page) => ({ ...page, identity: keyOf(page.identity) }));
      await sql`
        INSERT INTO crawl_left_out (job, reason, identity, url)
        SELECT job, reason, identity, url FROM ${jsonRows(database, columns, rows)} WHERE true
        ON CONFLICT DO NOTHING`.execute(db);
    },
    /** Adds a form whose choices may be pages that nothing else leads to. */
    async addForm(job: number, found: FoundForm, db: Database): Promise<void> {
      await db
        .insertInto('crawl_form')
        .values({ job, page: keyOf(found.on), form: JSON.stringify(found) })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    /** Returns the forms that were added. A crawl goes on without one that is damaged. */
    async forms(job: number): Promise<FoundForm[]> {
      const rows = await database.selectFrom('crawl_form').select('form').where('job', '=', job).execute();
      return rows.map(({ form }) => jsonIn(form)).filter((found) => isObject(found)) as unknown as FoundForm[];
    },
    /** Counts the pages that a job left out and didn't find in another way either. One that robots.txt disallows counts as that only. */
    async counts(job: number): Promise<Map<LeftOutReason, CountedPages>> {
      const { rows } = await sql<{
        reason: LeftOutReason;
        count: number;
        first: string;
        second: string;
        third: string;
      }>`
        SELECT reason, count(*) AS count, max(url) FILTER (WHERE place = 1) AS first,
          max(url) FILTER (WHERE place = 2) AS second, max(url) FILTER (WHERE place = 3) AS third
        FROM (
          SELECT reason, url, row_number() OVER (PARTITION BY reason ORDER BY length(url), url) AS place
          FROM crawl_left_out AS page WHERE job = ${job} AND NOT EXISTS (
            SELECT 1 FROM crawl_page WHERE crawl_page.job = page.job AND crawl_page.identity = page.identity
          ) AND (reason = 'robots' OR NOT EXISTS (
            SELECT 1 FROM crawl_left_out AS other
            WHERE other.job = page.job AND other.reason = 'robots' AND other.identity = page.identity))
        ) AS listed GROUP BY reason`.execute(database);
      return new Map(
        rows.map(({ reason, count, first, second, third }) => [
          reason,
          {
            count: Math.min(Number(count), leftOutLimits.counted),
            examples: [first, second, third].filter((url) => url !== null),
          },
        ]),
      );
    },
    /** Removes those of a job. */
    async remove(job: number): Promise<void> {
      for (const table of ['crawl_left_out', 'crawl_form'] as const)
        await database.deleteFrom(table).where('job', '=', job).execute();
    },
  };
}
