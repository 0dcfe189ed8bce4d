import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { transaction } from '../../../../storage/storage.ts';
import type {
  Bounds,
  DeliverySummary,
  JobSummary,
  StoredDelivery,
  StoredForwarding,
  Verification,
} from '../deliveries.ts';
import type { ParsedDelivery } from '../parse-delivery.ts';
import { type DeliveryDatabase, openDeliveryDatabase } from './delivery-schema.ts';
import { createForwardingTable } from './forwarding-table.ts';

/** A checked delivery to be stored. */
export interface NewDelivery extends ParsedDelivery {
  receivedAt: number;
  verification: Verification;
  /** Names and values alternating. */
  headers: readonly string[];
  body: Uint8Array;
  /** SHA-256 of the body. */
  digest: Uint8Array;
}

/** The result of storing a delivery. A repeated one isn't stored again; of conflicting ones, the first body is kept. */
export type StoreResult = 'stored' | 'repeated' | 'conflicting';

export interface DeliveryStore {
  /** Stores deliveries in one transaction, which is on disk when this resolves. If it rejects, none are stored. */
  add(deliveries: readonly NewDelivery[]): Promise<StoreResult[]>;
  /** Newest first. */
  list(options: { jobId?: string | undefined; limit: number }): Promise<DeliverySummary[]>;
  count(jobId?: string): Promise<number>;
  jobs(): Promise<JobSummary[]>;
  /** Returns the number of the delivery after another one. */
  after(num: number): Promise<number | undefined>;
  /** Returns the number of the newest delivery; 0 if there are none. */
  newest(): Promise<number>;
  get(num: number): Promise<StoredDelivery | undefined>;
  addForwarding(delivery: number, forwarding: Omit<StoredForwarding, 'num'>): Promise<number>;
  forwarding(num: number): Promise<StoredForwarding | undefined>;
  /** Deletes all deliveries but keeps the ids seen, so that deliveries sent again are recognized as repeated. */
  clear(): Promise<void>;
  setBounds(bounds: Bounds): void;
  /** Deletes what exceeds the age limit. */
  prune(now: number): Promise<void>;
  close(): Promise<void>;
}

/** How long ids of deliveries are kept, and how many: the only protection against replays. */
const seenAgeMs = 30 * 24 * 3600_000;
const seenCount = 1_000_000;
const pruneBatchSize = 200;

/** Opens the store in its own folder, readable only by its owner. */
export async function openDeliveryStore(
  directory: string,
  bounds: Bounds,
  onMovedAside: (path: string) => void = () => undefined,
): Promise<DeliveryStore> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  const path = join(directory, 'deliveries.sqlite');
  const database = openDeliveryDatabase(path, onMovedAside);
  chmodSync(path, 0o600);
  return await createDeliveryStore(database, bounds);
}

const summaryColumns = [
  ...(['num', 'webhook_id', 'received_at', 'type', 'job_id', 'success', 'error', 'verification', 'size'] as const),
  ...(['page_url', 'pages', 'has_markdown', 'repeats', 'conflicts'] as const),
] as const;

async function createDeliveryStore(database: DeliveryDatabase, initialBounds: Bounds): Promise<DeliveryStore> {
  let bounds = initialBounds;
  const forwardings = createForwardingTable(database);
  /** What is stored: how many deliveries, the bytes of their bodies, and how many ids are remembered. */
  let { count, bytes, seen } = await totals(database);

  async function store(delivery: NewDelivery, tx: DeliveryDatabase): Promise<StoreResult> {
    const { webhookId, receivedAt, digest, verification } = delivery;
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('seen')
      .values({ webhook_id: webhookId, digest, at: receivedAt })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows === 0n) {
      const known = await tx
        .selectFrom('seen')
        .select('digest')
        .where('webhook_id', '=', webhookId)
        .executeTakeFirstOrThrow();
      const sent = tx.updateTable('delivery').where('webhook_id', '=', webhookId);
      if (Buffer.compare(known.digest, digest) !== 0) {
        await sent.set(({ eb }) => ({ conflicts: eb('conflicts', '+', 1) })).execute();
        return 'conflicting';
      }
      await sent.set(({ eb }) => ({ repeats: eb('repeats', '+', 1) })).execute();
      if (verification !== 'unverified')
        await sent.set({ verification }).where('verification', '=', 'unverified').execute();
      return 'repeated';
    }
    await tx
      .insertInto('delivery')
      .values({
        webhook_id: webhookId,
        received_at: receivedAt,
        type: delivery.type,
        job_id: delivery.jobId,
        success: Number(delivery.success),
        error: delivery.error ?? null,
        verification,
        size: delivery.body.length,
        page_url: delivery.pageUrl ?? null,
        pages: delivery.pages,
        has_markdown: Number(delivery.hasMarkdown),
        headers: JSON.stringify(delivery.headers),
        body: delivery.body,
      })
      .execute();
    return 'stored';
  }

  /** Deletes the oldest deliveries until the limits are met. */
  async function shrink(tx: DeliveryDatabase): Promise<void> {
    while (count > bounds.deliveries || bytes > bounds.bytes) {
      const rows = await tx
        .selectFrom('delivery')
        .select(['num', 'size'])
        .orderBy('received_at')
        .orderBy('num')
        .limit(Math.min(pruneBatchSize, count))
        .execute();
      if (rows.length === 0) return;
      for (const { num, size } of rows) {
        if (count <= bounds.deliveries && bytes <= bounds.bytes) return;
        await tx.deleteFrom('delivery').where('num', '=', num).execute();
        count--;
        bytes -= size;
      }
    }
  }

  async function recount(): Promise<void> {
    ({ count, bytes, seen } = await totals(database));
  }

  async function summaries(rows: readonly SummaryRow[]): Promise<DeliverySummary[]> {
    const responses = await forwardings.of(rows.map(({ num }) => num));
    return rows.map((row) => {
      const { webhook_id, received_at, job_id, page_url, has_markdown, success, error, ...rest } = row;
      return {
        ...rest,
        webhookId: webhook_id,
        receivedAt: received_at,
        jobId: job_id,
        success: success === 1,
        error: error ?? undefined,
        pageUrl: page_url ?? undefined,
        hasMarkdown: has_markdown === 1,
        forwardings: responses.get(row.num) ?? [],
      };
    });
  }

  return {
    async add(deliveries) {
      try {
        return await transaction(database, async (tx) => {
          const results: StoreResult[] = [];
          for (const delivery of deliveries) {
            const result = await store(delivery, tx);
            results.push(result);
            if (result !== 'stored') continue;
            count++;
            seen++;
            bytes += delivery.body.length;
          }
          await shrink(tx);
          return results;
        });
      } catch (error) {
        await recount();
        throw error;
      }
    },
    async list({ jobId, limit }) {
      const all = database.selectFrom('delivery').select(summaryColumns);
      const wanted = jobId === undefined ? all : all.where('job_id', '=', jobId);
      return await summaries(await wanted.orderBy('num', 'desc').limit(limit).execute());
    },
    async count(jobId) {
      if (jobId === undefined) return count;
      const row = await database
        .selectFrom('delivery')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('job_id', '=', jobId)
        .executeTakeFirstOrThrow();
      return row.count;
    },
    async jobs() {
      const { rows } = await sql<JobSummary>`
        SELECT job_id AS "jobId", count(*) AS count, type AS kind, max(received_at) AS "lastAt"
        FROM delivery GROUP BY job_id ORDER BY max(num) DESC LIMIT 200`.execute(database);
      return rows;
    },
    async after(num) {
      const row = await database
        .selectFrom('delivery')
        .select(({ fn }) => fn.min('num').as('next'))
        .where('num', '>', num)
        .executeTakeFirst();
      return row?.next ?? undefined;
    },
    async newest() {
      const row = await database
        .selectFrom('delivery')
        .select(({ fn }) => fn.max('num').as('newest'))
        .executeTakeFirst();
      return row?.newest ?? 0;
    },
    async get(num) {
      const row = await database.selectFrom('delivery').selectAll().where('num', '=', num).executeTakeFirst();
      if (!row) return undefined;
      const { headers, body, ...rest } = row;
      const [summary] = await summaries([rest]);
      return summary && { ...summary, headers: JSON.parse(headers) as string[], body };
    },
    addForwarding: (delivery, forwarding) => transaction(database, (tx) => forwardings.add(delivery, forwarding, tx)),
    forwarding: forwardings.get,
    async clear() {
      await database.deleteFrom('delivery').execute();
      await recount();
      await sql`PRAGMA incremental_vacuum`.execute(database);
      await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(database);
    },
    setBounds(next) {
      bounds = next;
    },
    async prune(now) {
      await recount();
      await transaction(database, async (tx) => {
        await tx
          .deleteFrom('delivery')
          .where('received_at', '<', now - bounds.ageMs)
          .execute();
        await tx
          .deleteFrom('seen')
          .where('at', '<', now - Math.max(seenAgeMs, bounds.ageMs))
          .execute();
        const surplus = seen - seenCount;
        if (surplus > 0) {
          await tx
            .deleteFrom('seen')
            .where('webhook_id', 'in', (oldest) =>
              oldest.selectFrom('seen').select('webhook_id').orderBy('at').limit(surplus),
            )
            .execute();
        }
      });
      await recount();
      try {
        await transaction(database, shrink);
      } catch (error) {
        await recount();
        throw error;
      }
    },
    close: () => database.destroy(),
  };
}

async function totals(database: DeliveryDatabase): Promise<{ count: number; bytes: number; seen: number }> {
  const { rows } = await sql<{ count: number; bytes: number; seen: number }>`
    SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes, (SELECT count(*) FROM seen) AS seen
    FROM delivery`.execute(database);
  return rows[0] ?? { count: 0, bytes: 0, seen: 0 };
}

interface SummaryRow
  extends Omit<
    DeliverySummary,
    'webhookId' | 'receivedAt' | 'jobId' | 'pageUrl' | 'hasMarkdown' | 'success' | 'error' | 'forwardings'
  > {
  webhook_id: string;
  received_at: number;
  job_id: string;
  page_url: string | null;
  has_markdown: number;
  success: number;
  error: string | null;
}
