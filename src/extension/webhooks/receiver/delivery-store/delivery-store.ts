import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type {
  Bounds,
  DeliverySummary,
  JobSummary,
  StoredDelivery,
  StoredForwarding,
  Verification,
} from '../deliveries.ts';
import type { ParsedDelivery } from '../parse-delivery.ts';
import { openDeliveryDatabase } from './delivery-schema.ts';
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
  /** Stores deliveries in one transaction, which is on disk when this returns. If it throws, none are stored. */
  add(deliveries: readonly NewDelivery[]): StoreResult[];
  /** Newest first. */
  list(options: { jobId?: string | undefined; limit: number }): DeliverySummary[];
  count(jobId?: string): number;
  jobs(): JobSummary[];
  /** Returns the number of the delivery after another one. */
  after(num: number): number | undefined;
  /** Returns the number of the newest delivery; 0 if there are none. */
  newest(): number;
  get(num: number): StoredDelivery | undefined;
  addForwarding(delivery: number, forwarding: Omit<StoredForwarding, 'num'>): number;
  forwarding(num: number): StoredForwarding | undefined;
  /** Deletes all deliveries but keeps the ids seen, so that deliveries sent again are recognized as repeated. */
  clear(): void;
  setBounds(bounds: Bounds): void;
  /** Deletes what exceeds the age limit. */
  prune(now: number): void;
  close(): void;
}

/** How long ids of deliveries are kept, and how many: the only protection against replays. */
const seenAgeMs = 30 * 24 * 3600_000;
const seenCount = 1_000_000;
const pruneBatchSize = 200;

/** Opens the store in its own folder, readable only by its owner. */
export function openDeliveryStore(
  directory: string,
  bounds: Bounds,
  onMovedAside: (path: string) => void = () => undefined,
): DeliveryStore {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  const path = join(directory, 'deliveries.sqlite');
  const database = openDeliveryDatabase(path, onMovedAside);
  chmodSync(path, 0o600);
  return createDeliveryStore(database, bounds);
}

const summaryColumns =
  'num, webhook_id, received_at, type, job_id, success, error, verification, size, page_url, pages, has_markdown, repeats, conflicts';

function createDeliveryStore(database: DatabaseSync, initialBounds: Bounds): DeliveryStore {
  let bounds = initialBounds;
  const forwardings = createForwardingTable(database);
  const remember = database.prepare('INSERT OR IGNORE INTO seen (webhook_id, digest, at) VALUES (?, ?, ?)');
  const digestOf = database.prepare('SELECT digest FROM seen WHERE webhook_id = ?');
  const insert = database.prepare(
    `INSERT INTO delivery (webhook_id, received_at, type, job_id, success, error, verification, size, page_url, pages,
       has_markdown, headers, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const noteRepeat = database.prepare('UPDATE delivery SET repeats = repeats + 1 WHERE webhook_id = ?');
  const noteConflict = database.prepare('UPDATE delivery SET conflicts = conflicts + 1 WHERE webhook_id = ?');
  const upgrade = database.prepare(
    "UPDATE delivery SET verification = ? WHERE webhook_id = ? AND verification = 'unverified'",
  );
  const totals = database.prepare('SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes FROM delivery');
  const countRemembered = database.prepare('SELECT count(*) AS count FROM seen');
  const oldest = database.prepare('SELECT num, size FROM delivery ORDER BY received_at, num LIMIT ?');
  const remove = database.prepare('DELETE FROM delivery WHERE num = ?');
  const all = database.prepare(`SELECT ${summaryColumns} FROM delivery ORDER BY num DESC LIMIT ?`);
  const ofJob = database.prepare(`SELECT ${summaryColumns} FROM delivery WHERE job_id = ? ORDER BY num DESC LIMIT ?`);
  const next = database.prepare('SELECT min(num) AS num FROM delivery WHERE num > ?');
  const newest = database.prepare('SELECT max(num) AS num FROM delivery');
  let { count, bytes } = totals.get() as { count: number; bytes: number };
  let seen = (countRemembered.get() as { count: number }).count;

  function transaction<Result>(work: () => Result): Result {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }

  function store(delivery: NewDelivery): StoreResult {
    const { webhookId, receivedAt, type, jobId, success, error, verification, pageUrl, pages, hasMarkdown } = delivery;
    if (remember.run(webhookId, delivery.digest, receivedAt).changes === 0) {
      const { digest } = digestOf.get(webhookId) as { digest: Uint8Array };
      if (Buffer.compare(digest, delivery.digest) !== 0) {
        noteConflict.run(webhookId);
        return 'conflicting';
      }
      noteRepeat.run(webhookId);
      if (verification !== 'unverified') upgrade.run(verification, webhookId);
      return 'repeated';
    }
    insert.run(
      ...([webhookId, receivedAt, type, jobId, success ? 1 : 0, error ?? null, verification] as const),
      ...([delivery.body.length, pageUrl ?? null, pages, hasMarkdown ? 1 : 0] as const),
      ...([JSON.stringify(delivery.headers), delivery.body] as const),
    );
    return 'stored';
  }

  /** Deletes the oldest deliveries until the limits are met. */
  function shrink(): void {
    while (count > bounds.deliveries || bytes > bounds.bytes) {
      const rows = oldest.all(Math.min(pruneBatchSize, count)) as { num: number; size: number }[];
      if (rows.length === 0) return;
      for (const { num, size } of rows) {
        if (count <= bounds.deliveries && bytes <= bounds.bytes) return;
        remove.run(num);
        count--;
        bytes -= size;
      }
    }
  }

  function recount(): void {
    ({ count, bytes } = totals.get() as { count: number; bytes: number });
    seen = (countRemembered.get() as { count: number }).count;
  }

  function summary(row: unknown): DeliverySummary {
    const { webhook_id, received_at, job_id, page_url, has_markdown, success, error, ...rest } = row as SummaryRow;
    return {
      ...rest,
      webhookId: webhook_id,
      receivedAt: received_at,
      jobId: job_id,
      success: success === 1,
      error: error ?? undefined,
      pageUrl: page_url ?? undefined,
      hasMarkdown: has_markdown === 1,
      forwardings: forwardings.of(rest.num),
    };
  }

  return {
    add(deliveries) {
      try {
        return transaction(() => {
          const results = deliveries.map(store);
          results.forEach((result, index) => {
            if (result !== 'stored') return;
            count++;
            seen++;
            bytes += deliveries[index]?.body.length ?? 0;
          });
          shrink();
          return results;
        });
      } catch (error) {
        recount();
        throw error;
      }
    },
    list: ({ jobId, limit }) => (jobId === undefined ? all.all(limit) : ofJob.all(jobId, limit)).map(summary),
    count(jobId) {
      if (jobId === undefined) return count;
      return database.prepare('SELECT count(*) AS count FROM delivery WHERE job_id = ?').get(jobId)?.count as number;
    },
    jobs: () =>
      database
        .prepare(
          `SELECT job_id AS jobId, count(*) AS count, type AS kind, max(received_at) AS lastAt
           FROM delivery GROUP BY job_id ORDER BY max(num) DESC LIMIT 200`,
        )
        .all() as unknown as JobSummary[],
    after: (num) => (next.get(num)?.num as number | null) ?? undefined,
    newest: () => (newest.get()?.num as number | null) ?? 0,
    get(num) {
      const row = database.prepare('SELECT * FROM delivery WHERE num = ?').get(num);
      if (!row) return undefined;
      const { headers, body, ...rest } = row as unknown as SummaryRow & { headers: string; body: Uint8Array };
      return { ...summary(rest), headers: JSON.parse(headers) as string[], body };
    },
    addForwarding: (delivery, forwarding) => transaction(() => forwardings.add(delivery, forwarding)),
    forwarding: forwardings.get,
    clear() {
      transaction(() => database.exec('DELETE FROM delivery'));
      recount();
      database.exec('PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)');
    },
    setBounds(next) {
      bounds = next;
    },
    prune(now) {
      recount();
      transaction(() => {
        database.prepare('DELETE FROM delivery WHERE received_at < ?').run(now - bounds.ageMs);
        database.prepare('DELETE FROM seen WHERE at < ?').run(now - Math.max(seenAgeMs, bounds.ageMs));
        const surplus = seen - seenCount;
        if (surplus > 0) {
          database
            .prepare('DELETE FROM seen WHERE webhook_id IN (SELECT webhook_id FROM seen ORDER BY at LIMIT ?)')
            .run(surplus);
        }
      });
      recount();
      transaction(shrink);
    },
    close: () => database.close(),
  };
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
