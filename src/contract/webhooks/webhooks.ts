import * as z from 'zod';
import { isQuickUrl } from '../addresses.ts';
import { tooLongUrl } from '../fields.ts';
import { limits } from '../limits.ts';
import { shorten } from '../shorten.ts';
import { signatureHeaders } from './webhook-signature.ts';

/** Environment variable with the secret that a service signs its deliveries with. */
export const webhookSecretVariable = 'WEBDATA_WEBHOOK_SECRET';
/** Environment variable with the seconds between a failed attempt and the next, such as `60,300,900`. */
export const webhookRetryVariable = 'WEBDATA_WEBHOOK_RETRY_SECONDS';

/** Returns a message to show for an invalid secret, without the secret in it; undefined when the secret is valid. */
export function webhookSecretProblem(secret: string): string | undefined {
  if (secret.trim() === '') return 'The webhook secret is empty. Enter a secret.';
  if (secret !== secret.trim()) return 'The webhook secret starts or ends with white space. Remove it.';
  if (secret.length > limits.webhookSecret.max) {
    return `The webhook secret is too long: expected at most ${limits.webhookSecret.max} characters.`;
  }
  return undefined;
}

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

/** The events that a job's webhook can be limited to: the last part of an event type. */
export const webhookFilters = ['started', 'page', 'completed', 'failed'] as const;

const notWeb = 'expected an http or https URL';
const receiver = z
  .string({ error: notWeb })
  .refine(isQuickUrl, { error: notWeb, abort: true })
  .check(z.url({ protocol: /^https?$/, error: notWeb }))
  .max(limits.url, tooLongUrl);

const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]{1,200}$/i;
/** A valid header value: Latin-1 without line breaks and other control characters. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const { headers: maxHeaders, headerLength, metadataLength } = limits.webhook;
const ownHeaders = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const problem = (message: string) => context.addIssue({ code: 'custom', message });
  const entries = Object.entries(headers);
  if (entries.length > maxHeaders) problem(`expected at most ${maxHeaders} headers`);
  for (const [name, value] of entries) {
    if (!headerName.test(name)) problem(`${JSON.stringify(shorten(name, 60))} is not a valid header name`);
    else if (!headerValue.test(value)) problem(`the header ${shorten(name, 60)} contains invalid characters`);
    else if (value.length > headerLength)
      problem(`the header ${shorten(name, 60)} is longer than ${headerLength} characters`);
  }
});
const ownMetadata = z
  .record(z.string(), z.string())
  .refine((metadata) => JSON.stringify(metadata).length <= metadataLength, {
    error: `expected metadata of at most ${metadataLength} characters of JSON`,
  });

/** The `webhook` of a job whose events have these names: a URL, or an object with a URL, headers, metadata and events. */
export function webhookConfigOf<const Names extends readonly [string, ...string[]]>(filters: Names) {
  const object = z.strictObject({
    url: receiver,
    headers: ownHeaders.optional(),
    metadata: ownMetadata.optional(),
    events: z.array(z.enum(filters)).optional(),
  });
  return z
    .union([receiver.transform((url): z.output<typeof object> => ({ url })), object], {
      error: 'expected a URL, or an object with url, headers, metadata and events',
    })
    .superRefine(({ headers }, context) => {
      const names = Object.keys(headers ?? {}).map((name) => name.toLowerCase());
      const own = signatureHeaders.find((header) => names.includes(header.toLowerCase()));
      if (own !== undefined)
        context.addIssue({ code: 'custom', path: ['headers'], message: `the header ${own} is set by the service` });
    });
}

/** The `webhook` of a crawl or batch. */
export const webhookConfig = webhookConfigOf(webhookFilters);

/** The events that the webhook of an agent or extract job can be limited to. */
export const agentWebhookFilters = ['started', 'action', 'completed', 'failed', 'cancelled'] as const;
/** The `webhook` of an agent or extract job. */
export const agentWebhookConfig = webhookConfigOf(agentWebhookFilters);

/** A webhook as it is stored. */
export type WebhookConfig = Omit<z.output<typeof webhookConfig>, 'events'> & { events?: string[] | undefined };
