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

/** A delivery that was found good and is to be stored. */
export interface Arrived extends ParsedDelivery {
  receivedAt: number;
  verification: Verification;
  /** Names and values in turn. */
  headers: readonly string[];
  body: Uint8Array;
  /** SHA-256 of the body. */
  digest: Uint8Array;
}

/** What became of an arrival: a delivery that came before is stored once, and the first body is kept. */
export type Stored = 'stored' | 'repeated' | 'conflicting';

export interface DeliveryStore {
  /** Stores deliveries in one transaction that is on the disk when this returns: all of them, or (it throws) none. */
  add(arrivals: readonly Arrived[]): Stored[];
  /** Newest first. */
  list(options: { jobId?: string | undefined; limit: number }): DeliverySummary[];
  count(jobId?: string): number;
  jobs(): JobSummary[];
  /** The number of the delivery that came after another. */
  after(num: number): number | undefined;
  /** The number of the last delivery, 0 without one. */
  newest(): number;
  get(num: number): StoredDelivery | undefined;
  addForwarding(delivery: number, forwarding: Omit<StoredForwarding, 'num'>): number;
  forwarding(num: number): StoredForwarding | undefined;
  /** Forgets every delivery, but not which ids were seen: what is sent again is not taken for new. */
  clear(): void;
  setBounds(bounds: Bounds): void;
  /** Forgets what is older than it may be. */
  prune(now: number): void;
  close(): void;
}

/** How long the ids of deliveries are remembered, and how many: the only guard against replayed ones. */
const seenAgeMs = 30 * 24 * 3600_000;
const seenCount = 1_000_000;
const prunedAtATime = 200;

/** Opens the store in a folder of its own, readable by its owner alone. */
export function openDeliveryStore(
  directory: string,
  bounds: Bounds,
  onMovedAside: (to: string) => void = () => undefined,
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

function createDeliveryStore(database: DatabaseSync, given: Bounds): DeliveryStore {
  let bounds = given;
  const forwardings = createForwardingTable(database);
  const see = database.prepare('INSERT OR IGNORE INTO seen (webhook_id, digest, at) VALUES (?, ?, ?)');
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
  const countSeen = database.prepare('SELECT count(*) AS count FROM seen');
  const oldest = database.prepare('SELECT num, size FROM delivery ORDER BY received_at, num LIMIT ?');
  const remove = database.prepare('DELETE FROM delivery WHERE num = ?');
  const all = database.prepare(`SELECT ${summaryColumns} FROM delivery ORDER BY num DESC LIMIT ?`);
  const ofJob = database.prepare(`SELECT ${summaryColumns} FROM delivery WHERE job_id = ? ORDER BY num DESC LIMIT ?`);
  const next = database.prepare('SELECT min(num) AS num FROM delivery WHERE num > ?');
  const newest = database.prepare('SELECT max(num) AS num FROM delivery');
  let { count, bytes } = totals.get() as { count: number; bytes: number };
  let seen = (countSeen.get() as { count: number }).count;

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

  function store(arrived: Arrived): Stored {
    const { webhookId, receivedAt, type, jobId, success, error, verification, pageUrl, pages, hasMarkdown } = arrived;
    if (see.run(webhookId, arrived.digest, receivedAt).changes === 0) {
      const { digest } = digestOf.get(webhookId) as { digest: Uint8Array };
      if (Buffer.compare(digest, arrived.digest) !== 0) {
        noteConflict.run(webhookId);
        return 'conflicting';
      }
      noteRepeat.run(webhookId);
      if (verification !== 'unverified') upgrade.run(verification, webhookId);
      return 'repeated';
    }
    insert.run(
      ...([webhookId, receivedAt, type, jobId, success ? 1 : 0, error ?? null, verification] as const),
      ...([arrived.body.length, pageUrl ?? null, pages, hasMarkdown ? 1 : 0] as const),
      ...([JSON.stringify(arrived.headers), arrived.body] as const),
    );
    return 'stored';
  }

  /** Makes room, oldest first. */
  function shrink(): void {
    while (count > bounds.deliveries || bytes > bounds.bytes) {
      const rows = oldest.all(Math.min(prunedAtATime, count)) as { num: number; size: number }[];
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
    seen = (countSeen.get() as { count: number }).count;
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
    add(arrivals) {
      try {
        return transaction(() => {
          const results = arrivals.map(store);
          results.forEach((result, index) => {
            if (result !== 'stored') return;
            count++;
            seen++;
            bytes += arrivals[index]?.body.length ?? 0;
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
