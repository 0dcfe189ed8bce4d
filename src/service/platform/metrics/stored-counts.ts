import { sql } from 'kysely';
import type { Database } from '../storage/storage.ts';

/** Returns how many jobs of each kind run on all nodes. */
export async function runningJobs(database: Database): Promise<Map<string, number>> {
  const count = sql<number>`count(*)`.as('count');
  const [crawls, agents] = await Promise.all([
    database
      .selectFrom('crawl_job')
      .select(['kind', count])
      .where('status', '=', sql.lit('scraping' as const))
      .groupBy('kind')
      .execute(),
    database
      .selectFrom('agent_job')
      .select(['kind', count])
      .where('status', '=', sql.lit('processing' as const))
      .groupBy('kind')
      .execute(),
  ]);
  return new Map([...crawls, ...agents].map((row) => [row.kind, row.count]));
}

/** Returns how many webhook deliveries wait in the database. */
export async function waitingDeliveries(database: Database): Promise<number> {
  const { count } = await database
    .selectFrom('webhook_delivery')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
