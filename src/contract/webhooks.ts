import * as z from 'zod';

/** Name of the header that carries `sha256=<hex>`, the HMAC-SHA256 of the raw body (specification, "Authentication" 4). */
export const signatureHeader = 'X-Service-Signature';

/** Event kinds that the specification names; receivers keep others as they come. */
export const webhookEvents = ['crawl.page', 'batch_scrape.started'] as const;

/** The body of a webhook delivery (specification, "Events"). */
export const webhookDelivery = z.looseObject({
  success: z.boolean(),
  type: z.string(),
  id: z.uuid(),
  webhookId: z.uuid(),
  data: z.array(z.unknown()),
  error: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type WebhookDelivery = z.output<typeof webhookDelivery>;
