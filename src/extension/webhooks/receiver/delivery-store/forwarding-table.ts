import { sql } from 'kysely';
import type { ForwardingSummary, StoredForwarding } from '../deliveries.ts';
import type { DeliveryDatabase } from './delivery-schema.ts';

/** The responses of the user's handler, by delivery. */
export interface ForwardingTable {
  /** Returns the responses of deliveries, by their numbers; newest first. */
  of(deliveries: readonly number[]): Promise<Map<number, ForwardingSummary[]>>;
  /** Adds a response and returns its number. Keeps only the newest ones of a delivery. */
  add(delivery: number, forwarding: Omit<StoredForwarding, 'num'>, tx: DeliveryDatabase): Promise<number>;
  get(num: number): Promise<StoredForwarding | undefined>;
}

const keptPerDelivery = 20;
/** Maximum number of deliveries of a statement. */
const deliveriesAtATime = 500;

export function createForwardingTable(database: DeliveryDatabase): ForwardingTable {
  return {
    async of(deliveries) {
      const found = new Map<number, ForwardingSummary[]>();
      for (let index = 0; index < deliveries.length; index += deliveriesAtATime) {
        const rows = await database
          .selectFrom('forwarding')
          .select(['num', 'delivery', 'at', 'url', 'edited', 'status', 'error', 'ms'])
          .where('delivery', 'in', deliveries.slice(index, index + deliveriesAtATime))
          .orderBy('num', 'desc')
          .execute();
        for (const row of rows) found.set(row.delivery, [...(found.get(row.delivery) ?? []), summary(row)]);
      }
      return found;
    },
    async add(delivery, forwarding, tx) {
      const { num } = await tx
        .insertInto('forwarding')
        .values({
          delivery,
          at: forwarding.at,
          url: forwarding.url,
          edited: Number(forwarding.edited),
          status: forwarding.status ?? null,
          error: forwarding.error ?? null,
          ms: forwarding.ms,
          cut: Number(forwarding.cut),
          status_text: forwarding.statusText,
          request_headers: JSON.stringify(forwarding.requestHeaders),
          headers: JSON.stringify(forwarding.headers),
          body: forwarding.body,
          // The original body is stored with the delivery.
          request_body: forwarding.edited ? forwarding.requestBody : null,
        })
        .returning('num')
        .executeTakeFirstOrThrow();
      await tx
        .deleteFrom('forwarding')
        .where('delivery', '=', delivery)
        .where('num', 'not in', (newest) =>
          newest
            .selectFrom('forwarding')
            .select('num')
            .where('delivery', '=', delivery)
            .orderBy('num', 'desc')
            .limit(keptPerDelivery),
        )
        .execute();
      return num;
    },
    async get(num) {
      const row = await database
        .selectFrom('forwarding')
        .innerJoin('delivery', 'delivery.num', 'forwarding.delivery')
        .selectAll('forwarding')
        .select(sql<Uint8Array>`coalesce(forwarding.request_body, delivery.body)`.as('sent_body'))
        .where('forwarding.num', '=', num)
        .executeTakeFirst();
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

function summary({ num, at, url, edited, status, error, ms }: SummaryRow): ForwardingSummary {
  return { num, at, url, edited: edited === 1, status: status ?? undefined, error: error ?? undefined, ms };
}
