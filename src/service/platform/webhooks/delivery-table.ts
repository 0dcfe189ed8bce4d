import { messageOf } from '../errors.ts';
import { type Database, type Row, storedObject, type Unreadable } from '../storage/storage.ts';

type DeliveryRow = Omit<Row<'webhook_delivery'>, 'due_at'>;

/** A delivery that has not been acknowledged yet. */
export interface Delivery extends Omit<DeliveryRow, 'job_id' | 'headers' | 'created_at'> {
  jobId: string;
  createdAt: number;
  headers: Record<string, string>;
}

/** A receiver of a team, which may be that of others too. */
export type Receiver = Pick<Delivery, 'team' | 'url'>;

/** A job with deliveries that wait for their first attempt. */
export type WaitingJob = Pick<Delivery, 'jobId' | 'team' | 'url'>;

export type NewDelivery = Omit<Delivery, 'num' | 'attempts'>;

/** The deliveries that are waiting for an attempt or a retry. Those that can't be read are set aside. */
export type DeliveryTable = ReturnType<typeof deliveryTable>;

/** Retries up to `now` are due, and so are those after `furthest`: the wall clock must have been set back. */
export interface DueWindow {
  now: number;
  furthest: number;
}

const columns = ['num', 'id', 'team', 'job_id', 'type', 'url', 'headers', 'body', 'attempts', 'created_at'] as const;
/** Maximum number of rows in a statement. */
const rowsAtATime = 100;

export function deliveryTable(database: Database, unreadable: Unreadable) {
  const table = database.selectFrom('webhook_delivery');
  const dueIn = ({ now, furthest }: DueWindow) =>
    table
      .where('due_at', 'is not', null)
      .where(({ eb, or }) => or([eb('due_at', '<=', now), eb('due_at', '>', furthest)]));

  /** Returns the first row that can be read. */
  async function readable(find: () => Promise<DeliveryRow | undefined>): Promise<Delivery | undefined> {
    for (let skipped: number | undefined; ; ) {
      const row = await find();
      if (!row || row.num === skipped) return undefined;
      try {
        const { job_id, headers, created_at, ...rest } = row;
        return {
          ...rest,
          jobId: job_id,
          createdAt: created_at,
          headers: storedObject<Record<string, string>>(headers),
        };
      } catch (error) {
        skipped = row.num;
        await unreadable.setAside('webhook_delivery', row, messageOf(error), (tx) =>
          tx.deleteFrom('webhook_delivery').where('num', '=', row.num),
        );
      }
    }
  }

  return {
    async insert(deliveries: readonly NewDelivery[], db: Database = database): Promise<void> {
      const rows = deliveries.map(({ jobId, headers, createdAt, ...rest }) => ({
        ...rest,
        job_id: jobId,
        headers: JSON.stringify(headers),
        attempts: 0,
        due_at: null,
        created_at: createdAt,
      }));
      for (let index = 0; index < rows.length; index += rowsAtATime) {
        await db
          .insertInto('webhook_delivery')
          .values(rows.slice(index, index + rowsAtATime))
          .execute();
      }
    },
    /** Returns the jobs with deliveries waiting for their first attempt, oldest first, and their receivers. */
    async jobs(): Promise<WaitingJob[]> {
      const rows = await table
        .select(({ fn }) => ['job_id', 'team', fn.min('url').as('url'), fn.min('num').as('first')])
        .where('due_at', 'is', null)
        .groupBy(['job_id', 'team'])
        .orderBy('first')
        .execute();
      return rows.map(({ job_id, team, url }) => ({ jobId: job_id, team, url }));
    },
    /** Returns the next delivery of a job that waits for its first attempt. */
    next: (jobId: string): Promise<Delivery | undefined> =>
      readable(() =>
        table
          .select(columns)
          .where('job_id', '=', jobId)
          .where('due_at', 'is', null)
          .orderBy('num')
          .limit(1)
          .executeTakeFirst(),
      ),
    /** Whether a delivery of a job waits for its first attempt. */
    async hasFirst(jobId: string, db: Database): Promise<boolean> {
      const firsts = db.selectFrom('webhook_delivery').select('num').where('job_id', '=', jobId);
      return (await firsts.where('due_at', 'is', null).limit(1).executeTakeFirst()) !== undefined;
    },
    /** Returns the numbers of deliveries to a receiver whose retry is due, longest due first. */
    async due({ team, url }: Receiver, window: DueWindow, limit: number): Promise<number[]> {
      const due = dueIn(window).select('num').where('team', '=', team).where('url', '=', url);
      const rows = await due.orderBy('due_at').limit(limit).execute();
      return rows.map(({ num }) => num);
    },
    /** Returns the receivers with retries due. */
    dueReceivers: (window: DueWindow): Promise<Receiver[]> =>
      dueIn(window).select(['team', 'url']).distinct().execute(),
    /** Returns when the next retry after `now` is due. */
    async nextDue(now: number): Promise<number | undefined> {
      const row = await table
        .select(({ fn }) => fn.min('due_at').as('due'))
        .where('due_at', '>', now)
        .executeTakeFirst();
      return row?.due ?? undefined;
    },
    get: (num: number): Promise<Delivery | undefined> =>
      readable(() => table.select(columns).where('num', '=', num).executeTakeFirst()),
    /** Records a failed attempt and when the next one is due. */
    async retryAt(num: number, dueAt: number, db: Database = database): Promise<void> {
      await db
        .updateTable('webhook_delivery')
        .set(({ eb }) => ({ attempts: eb('attempts', '+', 1), due_at: dueAt }))
        .where('num', '=', num)
        .execute();
    },
    /** Removes a delivery that was acknowledged or has no retries left. */
    async remove(num: number, db: Database = database): Promise<void> {
      await db.deleteFrom('webhook_delivery').where('num', '=', num).execute();
    },
    /** Returns the deliveries that wait for a retry. */
    async waitingRetries() {
      const rows = await table
        .select(['num', 'id', 'team', 'url', 'attempts', 'due_at'])
        .where('due_at', 'is not', null)
        .$narrowType<{ due_at: number }>()
        .execute();
      return rows.map(({ due_at, ...rest }) => ({ ...rest, dueAt: due_at }));
    },
  };
}
