import type { DatabaseSync } from 'node:sqlite';
import type { ForwardingSummary, StoredForwarding } from '../deliveries.ts';

/** The responses of the user's handler, by delivery. */
export interface ForwardingTable {
  /** Newest first. */
  of(delivery: number): ForwardingSummary[];
  /** Adds a response and returns its number. Keeps only the newest ones of a delivery. Call it within a transaction. */
  add(delivery: number, forwarding: Omit<StoredForwarding, 'num'>): number;
  get(num: number): StoredForwarding | undefined;
}

const keptPerDelivery = 20;
const summaryColumns = 'num, delivery, at, url, edited, status, error, ms';

export function createForwardingTable(database: DatabaseSync): ForwardingTable {
  const ofDelivery = database.prepare(`SELECT ${summaryColumns} FROM forwarding WHERE delivery = ? ORDER BY num DESC`);
  const insert = database.prepare(
    `INSERT INTO forwarding (delivery, at, url, edited, status, error, ms, cut, status_text, request_headers,
       headers, body, request_body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const removeOld = database.prepare(
    `DELETE FROM forwarding WHERE delivery = ?1
       AND num NOT IN (SELECT num FROM forwarding WHERE delivery = ?1 ORDER BY num DESC LIMIT ?2)`,
  );
  const find = database.prepare(
    `SELECT forwarding.*, coalesce(request_body, delivery.body) AS sent_body
     FROM forwarding JOIN delivery ON delivery.num = forwarding.delivery WHERE forwarding.num = ?`,
  );
  return {
    of: (delivery) => ofDelivery.all(delivery).map((row) => summary(row as unknown as SummaryRow)),
    add(delivery, forwarding) {
      const { lastInsertRowid } = insert.run(
        ...([delivery, forwarding.at, forwarding.url, forwarding.edited ? 1 : 0] as const),
        ...([forwarding.status ?? null, forwarding.error ?? null, forwarding.ms, forwarding.cut ? 1 : 0] as const),
        ...([forwarding.statusText, JSON.stringify(forwarding.requestHeaders)] as const),
        ...([JSON.stringify(forwarding.headers), forwarding.body] as const),
        // The original body is stored with the delivery.
        forwarding.edited ? forwarding.requestBody : null,
      );
      removeOld.run(delivery, keptPerDelivery);
      return Number(lastInsertRowid);
    },
    get(num) {
      const row = find.get(num) as unknown as StoredRow | undefined;
      return (
        row && {
          ...summary(row),
          requestHeaders: JSON.parse(row.request_headers) as string[],
          requestBody: row.sent_body,
          statusText: row.status_text,
          headers: JSON.parse(row.headers) as string[],
          body: row.body,
          cut: row.cut === 1,
        }
      );
    },
  };
}

interface SummaryRow extends Omit<ForwardingSummary, 'edited' | 'status' | 'error'> {
  edited: number;
  status: number | null;
  error: string | null;
}

interface StoredRow extends SummaryRow {
  request_headers: string;
  sent_body: Uint8Array;
  status_text: string;
  headers: string;
  body: Uint8Array;
  cut: number;
}

function summary({ num, at, url, edited, status, error, ms }: SummaryRow): ForwardingSummary {
  return { num, at, url, edited: edited === 1, status: status ?? undefined, error: error ?? undefined, ms };
}
