import { sql } from 'kysely';
import { afterCommit } from '../../../storage/storage.ts';
import type { JobEvents } from '../job-events.ts';
import type { Database } from '../storage/storage.ts';
import type { Metrics } from './metrics.ts';

/** Counts the jobs that start and end, once that is stored. */
export function countJobs(events: JobEvents, metrics: Pick<Metrics, 'job'>): JobEvents {
  return {
    async emit(occurred, tx) {
      await events.emit(occurred, tx);
      const changes = occurred.flatMap(({ type }) => {
        const [kind = '', state = ''] = type.split('.');
        return state === 'page' || state === 'action' || kind === 'monitor' ? [] : [{ kind, state }];
      });
      if (changes.length > 0) afterCommit(tx, () => changes.forEach(metrics.job));
    },
  };
}

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
