import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CompiledQuery } from 'kysely';
import type { Db, JobAttempt, JobInsert, PgBoss } from 'pg-boss';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Database } from '../../storage/storage.ts';

/** pg-boss, as this service uses it. */
export type Boss = Awaited<ReturnType<typeof openBoss>>;

/** The queues. A job of `delivery` stands for all deliveries of a crawl that wait: one that waits and one that sends, at most. */
const queues = {
  crawl: { policy: 'standard' },
  agent: { policy: 'standard' },
  monitor: { policy: 'standard' },
  delivery: { policy: 'stately' },
  retry: { policy: 'exclusive' },
} as const;
export type QueueName = keyof typeof queues;

/** The schema of its tables. */
export const bossSchema = 'web_data_jobs';
/** The version of its tables that this version works with. */
export const bossVersion = 46;
/** A worker that renews no claim for this long loses its jobs: the minimum that pg-boss accepts. */
const heartbeatSeconds = 10;
/** How often lost jobs are looked for. */
const superviseSeconds = 5;
/** A job is taken away from its worker after this long, as if that were dead: the maximum that pg-boss accepts. */
const expireSeconds = 23 * 3600;
const yearSeconds = 365 * 24 * 3600;
const connections = 3;
/** Passed on to the database's driver, though the queues don't declare them. In milliseconds. */
const driverOptions = { query_timeout: 35_000, statement_timeout: 30_000, keepAlive: true };

const program = import.meta.dirname.endsWith('jobs')
  ? join(import.meta.dirname, 'pg-boss.ts')
  : join(import.meta.dirname, 'pg-boss.cjs');

/** Opens the queues in a database, and creates or migrates their tables. Throws an Error with a message to show. */
export async function openBoss(url: string, log: Log) {
  const { PgBoss: Create } = (await import(pathToFileURL(program).href)) as { PgBoss: typeof PgBoss };
  const boss = new Create({
    connectionString: url,
    schema: bossSchema,
    application_name: 'web-data-jobs',
    max: connections,
    ...driverOptions,
    schedule: false,
    registerInstance: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    maintenanceIntervalSeconds: 600,
    flowIntervalSeconds: 3600,
    openTelemetry: { enabled: false },
  });
  boss.on('error', (error) => log.warn({ reason: messageOf(error) }, 'the job queues could not be maintained'));
  await boss.start();
  try {
    const version = (await boss.schemaVersion()) ?? bossVersion;
    if (version > bossVersion) {
      throw new Error(
        `The queues of the database were written by a newer version (schema ${version}; this version supports ${bossVersion}). Update, or use another --database.`,
      );
    }
    for (const [name, { policy }] of Object.entries(queues)) {
      await boss.createQueue(name, {
        policy,
        heartbeatSeconds,
        expireInSeconds: expireSeconds,
        retryLimit: 1_000_000,
        retentionSeconds: yearSeconds,
        deleteAfterSeconds: 600,
      });
    }
  } catch (error) {
    await boss.stop({ graceful: false });
    throw error;
  }

  return {
    /** Adds jobs in a transaction. Those whose ID or key the queue has already are left out. Returns how many it added. */
    async insert(queue: QueueName, jobs: JobInsert[], tx: Database): Promise<number> {
      return (await boss.insert(queue, jobs, { db: executorOf(tx), returnId: true }))?.length ?? 0;
    },
    /** Whether a queue has jobs that are due. */
    async hasWaiting(queue: QueueName): Promise<boolean> {
      const due = `SELECT 1 FROM ${bossSchema}.job WHERE name = $1 AND state < 'active' AND start_after <= now() LIMIT 1`;
      return (await boss.getDb().executeSql(due, [queue])).rows.length > 0;
    },
    /** Takes jobs that wait. @param perGroup takes none of a group that has as many with workers */
    async fetch<Data extends object>(queue: QueueName, count: number, perGroup: number | undefined) {
      const options = { batchSize: count, includeMetadata: true as const };
      return await boss.fetch<Data>(
        queue,
        perGroup === undefined ? options : { ...options, groupConcurrency: perGroup },
      );
    },
    /** Renews the claims of workers on these jobs. Returns the IDs of those that are still theirs. */
    async touch(queue: QueueName, attempts: JobAttempt[], tx?: Database): Promise<Set<string>> {
      if (attempts.length === 0) return new Set();
      const answer = await boss.touch(queue, attempts, tx ? { db: executorOf(tx) } : {});
      // Not in its types.
      return new Set((answer as { settled?: string[] }).settled ?? []);
    },
    /** Removes a job that is done. Returns false if it isn't done. */
    async forgetDone(queue: QueueName, id: string, tx: Database): Promise<boolean> {
      const db = executorOf(tx);
      const [job] = await boss.findJobs(queue, { id, db });
      if (job?.state === 'completed') await boss.deleteJob(queue, id, { db });
      return job === undefined || job.state === 'completed';
    },
    async complete(queue: QueueName, attempt: JobAttempt): Promise<void> {
      await boss.complete(queue, attempt);
    },
    /** Returns jobs to the queue, except those that other attempts have by now. */
    async giveBack(queue: QueueName, attempts: JobAttempt[]): Promise<void> {
      if (attempts.length > 0) await boss.fail(queue, attempts);
    },
    /** Returns jobs to the queue, whichever worker has them. */
    async takeAway(queue: QueueName, ids: string[], tx: Database): Promise<void> {
      if (ids.length > 0) await boss.fail(queue, ids, null, { db: executorOf(tx) });
    },
    /** Whether a newer version has migrated the tables. */
    isNewer: async (): Promise<boolean> => ((await boss.schemaVersion()) ?? 0) > bossVersion,
    close: (): Promise<void> => boss.stop({ graceful: false }),
  };
}

/** Lets pg-boss take part in a transaction. */
function executorOf(tx: Database): Db {
  return {
    async executeSql(text, values = []) {
      const { rows } = await tx.executeQuery(CompiledQuery.raw(text, [...values]));
      return { rows: [...rows] };
    },
  };
}
