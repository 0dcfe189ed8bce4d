import { randomUUID } from 'node:crypto';
import type { WebhookConfig } from '../../../contract/webhooks/webhooks.ts';
import type { JobEvent } from '../job-events.ts';
import { jsonOf } from '../large-json.ts';
import type { NewDelivery } from './delivery-table.ts';

/** Returns the deliveries of events that webhooks subscribe to, each with a new id. */
export async function newDeliveries(occurred: readonly JobEvent[], createdAt: number): Promise<NewDelivery[]> {
  const all: NewDelivery[] = [];
  for (const event of occurred) {
    const { team, jobId, type, webhook } = event;
    if (!webhook || !isWanted(type, webhook)) continue;
    const id = randomUUID();
    const { url, headers = {} } = webhook;
    all.push({ id, team, jobId, type, url, headers, body: await deliveryBody(event, id), createdAt });
  }
  return all;
}

/** Returns the body of a delivery as it is sent and signed, with fields in the specification's order ("Events"). */
async function deliveryBody(
  { success, type, jobId, data, error, webhook }: JobEvent,
  webhookId: string,
): Promise<string> {
  const body = await jsonOf({
    success,
    type,
    id: jobId,
    webhookId,
    data,
    ...(error !== undefined && { error }),
    ...(webhook?.metadata && { metadata: webhook.metadata }),
  });
  return body.toString();
}

/** Returns whether a webhook subscribes to an event; without a list it subscribes to all. */
function isWanted(type: JobEvent['type'], { events }: WebhookConfig): boolean {
  const kind = type.slice(type.indexOf('.') + 1);
  return events === undefined || events.some((wanted) => wanted === kind);
}
