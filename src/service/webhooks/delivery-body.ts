import type { JobEvent } from '../crawl/job-events.ts';

/** The body of a delivery as it is sent and signed, its fields in the specification's order ("Events"). */
export function deliveryBody({ success, type, jobId, data, error, webhook }: JobEvent, webhookId: string): string {
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

/** Whether a job's webhook wants an event; without a list it wants all of them. */
export function isWanted({ type, webhook }: Pick<JobEvent, 'type' | 'webhook'>): boolean {
  if (!webhook) return false;
  const kind = type.slice(type.indexOf('.') + 1);
  return webhook.events === undefined || webhook.events.some((wanted) => wanted === kind);
}
