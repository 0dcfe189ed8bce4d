import type { DatabaseSync } from 'node:sqlite';

/** A delivery that has not been acknowledged yet. Times are milliseconds since 1970. */
export interface Delivery {
  /** Increases with every delivery: the order of first attempts within a job. */
  num: number;
  /** The `webhookId`, the same in every attempt. */
  id: string;
  team: string;
  jobId: string;
  type: string;
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Attempts that failed. */
  attempts: number;
}

export type NewDelivery = Omit<Delivery, 'num' | 'attempts'> & { createdAt: number };

/** The deliveries that are waiting for an attempt or a retry. */
export interface DeliveryTable {
  insert(delivery: NewDelivery): void;
  /** Returns the jobs with deliveries waiting for their first attempt, oldest first, and their receivers. */
  jobs(): { jobId: string; url: string }[];
  /** Returns the next delivery of a job that waits for its first attempt. */
  next(jobId: string): Delivery | undefined;
  /** Returns the numbers of deliveries to a receiver whose retry is due, longest due first. */
  due(url: string, window: DueWindow, limit: number): number[];
  /** Returns the receivers with retries due. */
  dueReceivers(window: DueWindow): string[];
  /** Returns when the next retry after `now` is due. */
  nextDue(now: number): number | undefined;
  get(num: number): Delivery | undefined;
  /** Records a failed attempt and when the next one is due. */
  retryAt(num: number, dueAt: number): void;
  /** Removes a delivery that was acknowledged or has no retries left. */
  remove(num: number): void;
  count(): number;
}

/** Retries up to `now` are due, and so are those after `furthest`: the wall clock must have been set back. */
export interface DueWindow {
  now: number;
  furthest: number;
}

interface Row extends Omit<Delivery, 'headers' | 'jobId'> {
  job_id: string;
  headers: string;
}

const columns = 'num, id, team, job_id, type, url, headers, body, attempts';

export function deliveryTable(database: DatabaseSync): DeliveryTable {
  const insert = database.prepare(
    `INSERT INTO webhook_delivery (id, team, job_id, type, url, headers, body, attempts, created_at)
     VALUES (:id, :team, :jobId, :type, :url, :headers, :body, 0, :createdAt)`,
  );
  const jobs = database.prepare(
    'SELECT job_id AS jobId, url, min(num) AS first FROM webhook_delivery WHERE due_at IS NULL GROUP BY job_id ORDER BY first',
  );
  const next = database.prepare(
    `SELECT ${columns} FROM webhook_delivery WHERE job_id = ? AND due_at IS NULL ORDER BY num LIMIT 1`,
  );
  const isDue = 'due_at IS NOT NULL AND (due_at <= :now OR due_at > :furthest)';
  const due = database.prepare(
    `SELECT num FROM webhook_delivery WHERE url = :url AND ${isDue} ORDER BY due_at LIMIT :limit`,
  );
  const dueReceivers = database.prepare(`SELECT DISTINCT url FROM webhook_delivery WHERE ${isDue}`);
  const nextDue = database.prepare('SELECT min(due_at) AS due FROM webhook_delivery WHERE due_at > ?');
  const get = database.prepare(`SELECT ${columns} FROM webhook_delivery WHERE num = ?`);
  const retryAt = database.prepare(
    'UPDATE webhook_delivery SET attempts = attempts + 1, due_at = :dueAt WHERE num = :num',
  );
  const remove = database.prepare('DELETE FROM webhook_delivery WHERE num = ?');
  const count = database.prepare('SELECT count(*) AS count FROM webhook_delivery');

  return {
    insert({ headers, ...rest }) {
      insert.run({ ...rest, headers: JSON.stringify(headers) });
    },
    jobs: () => jobs.all() as unknown as { jobId: string; url: string }[],
    next: (jobId) => delivery(next.get(jobId)),
    due: (url, { now, furthest }, limit) => due.all({ url, now, furthest, limit }).map((row) => row.num as number),
    dueReceivers: ({ now, furthest }) => dueReceivers.all({ now, furthest }).map((row) => row.url as string),
    nextDue: (now) => (nextDue.get(now)?.due as number | null) ?? undefined,
    get: (num) => delivery(get.get(num)),
    retryAt: (num, dueAt) => void retryAt.run({ num, dueAt }),
    remove: (num) => void remove.run(num),
    count: () => count.get()?.count as number,
  };
}

function delivery(row: unknown): Delivery | undefined {
  if (row === undefined) return undefined;
  const { job_id, headers, ...rest } = row as Row;
  return { ...rest, jobId: job_id, headers: JSON.parse(headers) as Record<string, string> };
}
