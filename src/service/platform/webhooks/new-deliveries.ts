import { randomUUID } from 'node:crypto';
import type { WebhookConfig } from '../../../contract/webhooks/webhooks.ts';
import type { JobEvent } from '../job-events.ts';
import type { NewDelivery } from './delivery-table.ts';

/** Returns the deliveries of events that webhooks subscribe to, each with a new id. */
export function newDeliveries(occurred: readonly JobEvent[], createdAt: number): NewDelivery[] {
  return occurred.flatMap((event) => {
    const { team, jobId, type, webhook } = event;
    if (!webhook || !isWanted(type, webhook)) return [];
    const id = randomUUID();
    const { url, headers = {} } = webhook;
    return [{ id, team, jobId, type, url, headers, body: deliveryBody(event, id), createdAt }];
  });
}

/** Returns the body of a delivery as it is sent and signed, with fields in the specification's order ("Events"). */
function deliveryBody({ success, type, jobId, data, error, webhook }: JobEvent, webhookId: string): string {
  return JSON.stringify({
    success,
    type,
    id: jobId,
    webhookId,
    data,
    ...(error !== undefined && { error }),
    ...(webhook?.metadata && { metadata: webhook.metadata }),
  });
}

/** Returns whether a webhook subscribes to an event; without a list it subscribes to all. */
function isWanted(type: JobEvent['type'], { events }: WebhookConfig): boolean {
  const kind = type.slice(type.indexOf('.') + 1);
  return events === undefined || events.some((wanted) => wanted === kind);
}
