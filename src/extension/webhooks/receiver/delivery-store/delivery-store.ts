import type { SqliteFile, SqliteValue } from '../../../../storage/storage.ts';
import type {
  Bounds,
  DeliverySummary,
  ForwardingSummary,
  JobSummary,
  StoredDelivery,
  StoredForwarding,
  Verification,
} from '../deliveries.ts';
import type { ParsedDelivery } from '../parse-delivery.ts';

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

/** How long ids of deliveries are kept, and how many: the only protection against replays. */
const seenAgeMs = 30 * 24 * 3600_000;
const seenCount = 1_000_000;
const pruneBatchSize = 200;
/** Responses of the handler that are kept of a delivery. */
const keptResponses = 20;

const summaryColumns = `num, webhook_id AS webhookId, received_at AS receivedAt, type, job_id AS jobId, success, error,
  verification, size, page_url AS pageUrl, pages, has_markdown AS hasMarkdown, repeats, conflicts`;

/** The received deliveries and what the user's handler answered, in a file that this thread alone uses. */
export class DeliveryStore {
  #file: SqliteFile;
  #bounds: Bounds;
  /** What is stored: how many deliveries, the bytes of their bodies, and how many ids are remembered. */
  #totals = { count: 0, bytes: 0, seen: 0 };

  constructor(file: SqliteFile, bounds: Bounds) {
    this.#file = file;
    this.#bounds = bounds;
    this.#recount();
  }

  /** Stores deliveries in one transaction, which is on disk when this returns. If it throws, none are stored. */
  add(deliveries: readonly NewDelivery[]): StoreResult[] {
    return this.#transaction(() => {
      const results = deliveries.map((delivery) => this.#store(delivery));
      this.#shrink();
      return results;
    });
  }

  /** Newest first. */
  list({ jobId, limit }: { jobId?: string | undefined; limit: number }): DeliverySummary[] {
    const where = jobId === undefined ? '' : 'WHERE job_id = :jobId';
    const sql = `SELECT ${summaryColumns} FROM delivery ${where} ORDER BY num DESC LIMIT :limit`;
    return this.#all<SummaryRow>(sql, { limit, ...(jobId !== undefined && { jobId }) }).map((row) =>
      this.#summary(row),
    );
  }

  count(jobId?: string): number {
    if (jobId === undefined) return this.#totals.count;
    return this.#value('SELECT count(*) AS value FROM delivery WHERE job_id = :jobId', { jobId }) ?? 0;
  }

  jobs(): JobSummary[] {
    return this.#all<JobSummary>(`
      SELECT job_id AS jobId, count(*) AS count, type AS kind, max(received_at) AS lastAt
      FROM delivery GROUP BY job_id ORDER BY max(num) DESC LIMIT 200`);
  }

  /** Returns the number of the delivery after another one. */
  after(num: number): number | undefined {
    return this.#value('SELECT min(num) AS value FROM delivery WHERE num > :num', { num });
  }

  /** Returns the number of the newest delivery; 0 if there are none. */
  newest(): number {
    return this.#value('SELECT max(num) AS value FROM delivery') ?? 0;
  }

  get(num: number): StoredDelivery | undefined {
    const sql = `SELECT ${summaryColumns}, headers, body FROM delivery WHERE num = :num`;
    const [row] = this.#all<SummaryRow & { headers: string; body: Uint8Array }>(sql, { num });
    return row && { ...this.#summary(row), headers: JSON.parse(row.headers) as string[], body: row.body };
  }

  /** Adds a response of the handler and returns its number. */
  addForwarding(delivery: number, forwarding: Omit<StoredForwarding, 'num'>): number {
    const { headers, edited, cut, status = null, error = null, ...rest } = forwarding;
    return this.#transaction(() => {
      const num = this.#run(
        `INSERT INTO forwarding
          (delivery, at, url, edited, status, error, ms, cut, status_text, headers, body)
        VALUES (:delivery, :at, :url, :edited, :status, :error, :ms, :cut, :statusText, :headers, :body)`,
        {
          ...rest,
          delivery,
          status,
          error,
          edited: Number(edited),
          cut: Number(cut),
          headers: JSON.stringify(headers),
        },
      ).lastInsertRowid;
      this.#run(
        `DELETE FROM forwarding WHERE delivery = :delivery AND num NOT IN
          (SELECT num FROM forwarding WHERE delivery = :delivery ORDER BY num DESC LIMIT ${keptResponses})`,
        { delivery },
      );
      return Number(num);
    });
  }

  forwarding(num: number): StoredForwarding | undefined {
    const [row] = this.#all<WholeForwardingRow>(
      'SELECT *, status_text AS statusText FROM forwarding WHERE num = :num',
      { num },
    );
    if (!row) return undefined;
    const { statusText, body, cut, headers } = row;
    return { ...forwardingSummary(row), statusText, body, cut: cut === 1, headers: JSON.parse(headers) as string[] };
  }

  /** Deletes all deliveries but keeps the ids seen, so that deliveries sent again are recognized as repeated. */
  clear(): void {
    this.#run('DELETE FROM delivery');
    this.#recount();
    this.#file.exec('PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)');
  }

  setBounds(bounds: Bounds): void {
    this.#bounds = bounds;
  }

  /** Deletes what exceeds the age limit. */
  prune(now: number): void {
    const { ageMs } = this.#bounds;
    this.#recount();
    const surplus = Math.max(0, this.#totals.seen - seenCount);
    this.#transaction(() => {
      this.#run('DELETE FROM delivery WHERE received_at < :before', { before: now - ageMs });
      this.#run('DELETE FROM seen WHERE at < :before', { before: now - Math.max(seenAgeMs, ageMs) });
      this.#run('DELETE FROM seen WHERE webhook_id IN (SELECT webhook_id FROM seen ORDER BY at LIMIT :surplus)', {
        surplus,
      });
    });
    this.#recount();
    this.#transaction(() => this.#shrink());
  }

  close(): void {
    this.#file.close();
  }

  #store(delivery: NewDelivery): StoreResult {
    const { webhookId, receivedAt, digest, verification, headers, body, success, hasMarkdown } = delivery;
    const seen = { webhookId, digest, receivedAt };
    if (this.#run('INSERT OR IGNORE INTO seen VALUES (:webhookId, :digest, :receivedAt)', seen).changes === 0) {
      const [known] = this.#all<{ digest: Uint8Array }>('SELECT digest FROM seen WHERE webhook_id = :webhookId', {
        webhookId,
      });
      if (known && Buffer.compare(known.digest, digest) !== 0) {
        this.#run('UPDATE delivery SET conflicts = conflicts + 1 WHERE webhook_id = :webhookId', { webhookId });
        return 'conflicting';
      }
      this.#run(
        `UPDATE delivery SET repeats = repeats + 1,
          verification = iif(verification = 'unverified', :verification, verification)
        WHERE webhook_id = :webhookId`,
        { webhookId, verification },
      );
      return 'repeated';
    }
    const { type, jobId, error = null, pageUrl = null, pages } = delivery;
    this.#run(
      `INSERT INTO delivery (webhook_id, received_at, type, job_id, success, error, verification, size, page_url, pages,
        has_markdown, headers, body)
      VALUES (:webhookId, :receivedAt, :type, :jobId, :success, :error, :verification, :size, :pageUrl, :pages,
        :hasMarkdown, :headers, :body)`,
      {
        webhookId,
        receivedAt,
        type,
        jobId,
        error,
        verification,
        pageUrl,
        pages,
        body,
        size: body.length,
        success: Number(success),
        hasMarkdown: Number(hasMarkdown),
        headers: JSON.stringify(headers),
      },
    );
    this.#totals.count++;
    this.#totals.seen++;
    this.#totals.bytes += body.length;
    return 'stored';
  }

  /** Deletes the oldest deliveries until the limits are met. */
  #shrink(): void {
    const totals = this.#totals;
    const isOver = () => totals.count > this.#bounds.deliveries || totals.bytes > this.#bounds.bytes;
    while (isOver()) {
      const limit = Math.min(pruneBatchSize, totals.count);
      const oldest = 'SELECT num, size FROM delivery ORDER BY received_at, num LIMIT :limit';
      const rows = this.#all<{ num: number; size: number }>(oldest, { limit });
      if (rows.length === 0) return;
      for (const { num, size } of rows) {
        if (!isOver()) return;
        this.#run('DELETE FROM delivery WHERE num = :num', { num });
        totals.count--;
        totals.bytes -= size;
      }
    }
  }

  #recount(): void {
    const [totals] = this.#all<{ count: number; bytes: number; seen: number }>(`
      SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes, (SELECT count(*) FROM seen) AS seen FROM delivery`);
    if (totals) this.#totals = totals;
  }

  #summary(row: SummaryRow): DeliverySummary {
    const { success, error, pageUrl, hasMarkdown, num } = row;
    const sql = `SELECT num, at, url, edited, status, error, ms FROM forwarding WHERE delivery = :num ORDER BY num DESC`;
    return {
      ...row,
      success: success === 1,
      error: error ?? undefined,
      pageUrl: pageUrl ?? undefined,
      hasMarkdown: hasMarkdown === 1,
      forwardings: this.#all<ForwardingRow>(sql, { num }).map(forwardingSummary),
    };
  }

  /** Everything that `work` writes is stored, or if it throws, nothing. */
  #transaction<Result>(work: () => Result): Result {
    this.#file.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#file.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#file.isTransaction) this.#file.exec('ROLLBACK');
      this.#recount();
      throw error;
    }
  }

  #all<Row>(sql: string, values: Values = {}): Row[] {
    return this.#prepare(sql).all(values) as Row[];
  }

  #value(sql: string, values: Values = {}): number | undefined {
    return this.#all<{ value: number | null }>(sql, values)[0]?.value ?? undefined;
  }

  #run(sql: string, values: Values = {}) {
    return this.#prepare(sql).run(values);
  }

  #statements = new Map<string, ReturnType<SqliteFile['prepare']>>();
  #prepare(sql: string) {
    const statement = this.#statements.get(sql) ?? this.#file.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function forwardingSummary({ num, at, url, edited, status, error, ms }: ForwardingRow): ForwardingSummary {
  return { num, at, url, edited: edited === 1, status: status ?? undefined, error: error ?? undefined, ms };
}

type Values = Record<string, SqliteValue>;
/** What is a flag, or may be missing, in a file. */
type InFile<Type, Flags extends keyof Type, Optional extends keyof Type> = Omit<Type, Flags | Optional> &
  Record<Flags, number> & { [Name in Optional]: NonNullable<Type[Name]> | null };
type SummaryRow = InFile<Omit<DeliverySummary, 'forwardings'>, 'success' | 'hasMarkdown', 'error' | 'pageUrl'>;
type ForwardingRow = InFile<ForwardingSummary, 'edited', 'status' | 'error'>;
interface WholeForwardingRow extends ForwardingRow, Pick<StoredForwarding, 'statusText' | 'body'> {
  cut: number;
  headers: string;
}
