import { randomUUID } from 'node:crypto';
import type { JobEvent } from '../job-events.ts';
import type { NewDelivery } from './delivery-table.ts';

/** Returns the deliveries of events that webhooks subscribe to, each with a new id. */
export function newDeliveries(occurred: readonly JobEvent[], createdAt: number): NewDelivery[] {
  return occurred.filter(isWanted).flatMap((event) => {
    if (!event.webhook) return [];
    const { team, jobId, type, webhook } = event;
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

/** Returns whether a job's webhook subscribes to an event; without a list it subscribes to all. */
function isWanted({ type, webhook }: Pick<JobEvent, 'type' | 'webhook'>): boolean {
  if (!webhook) return false;
  const kind = type.slice(type.indexOf('.') + 1);
  return webhook.events === undefined || webhook.events.some((wanted) => wanted === kind);
}
