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

/** Events that a job's webhook may be limited to; each is the end of an event kind's name. */
export const webhookFilters = ['started', 'page', 'completed', 'failed'] as const;

const receiver = z
  .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
  .max(8192, { error: 'expected a URL of at most 8,192 characters' });

/** The `webhook` of a crawl or batch: a URL, or a URL with headers, metadata and the events that are wanted. */
export const webhookConfig = z
  .union(
    [
      receiver.transform((url) => ({ url })),
      z.strictObject({
        url: receiver,
        headers: z.record(z.string(), z.string()).optional(),
        metadata: z.record(z.string(), z.string()).optional(),
        events: z.array(z.enum(webhookFilters)).optional(),
      }),
    ],
    { error: 'expected a URL, or an object of url, headers, metadata and events' },
  )
  .pipe(
    z.object({
      url: z.string(),
      headers: z.record(z.string(), z.string()).optional(),
      metadata: z.record(z.string(), z.string()).optional(),
      events: z.array(z.enum(webhookFilters)).optional(),
    }),
  )
  .superRefine(({ headers }, context) => {
    if (Object.keys(headers ?? {}).some((name) => name.toLowerCase() === signatureHeader.toLowerCase())) {
      context.addIssue({ code: 'custom', message: `the header ${signatureHeader} is set by the service itself` });
    }
  });
export type WebhookConfig = z.output<typeof webhookConfig>;
