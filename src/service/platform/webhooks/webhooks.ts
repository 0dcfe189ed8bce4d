import { limits } from '../../../contract/limits.ts';
import type { SharedJobs } from '../fleet/jobs/shared-jobs.ts';
import type { AddressPolicy } from '../network/address-policy/address-policy.ts';
import { createDispatchers } from '../network/dispatchers.ts';
import type { Base } from '../platform.ts';
import { createDeliveries, type DeliveriesOptions } from './deliveries.ts';
import { deliveryTable } from './delivery-table.ts';
import { createPost } from './post.ts';
import { createSharedDeliveries } from './shared-deliveries.ts';
import type { WebhookOptions } from './webhook-options.ts';

/** Sends the webhooks of the service. */
export type Webhooks = ReturnType<typeof openWebhooks>;

export interface WebhookParts extends Base {
  policy: AddressPolicy;
  proxy: string | undefined;
  userAgent: string;
  /** Whether to wait for a window to report its secret before sending, so that nothing is sent unsigned. */
  awaitWindow: boolean;
  onAttempt?: DeliveriesOptions['onAttempt'];
  /** How deliveries are shared with other nodes; undefined: with none. */
  shared?: SharedJobs | undefined;
}

/** How long to wait for a window to report its secret. */
const windowTimeoutMs = 10_000;
/** Short, because an attempt fails on a connection that its receiver is just closing. */
const keepAliveMs = 1_000;

export function openWebhooks({ secret, retryMs }: WebhookOptions, parts: WebhookParts) {
  const { clock, log } = parts;
  /** Those of windows, which take precedence over the one that the service was started with. */
  const secrets = new Map<string, string>();
  const dispatchers = createDispatchers({ policy: parts.policy, proxy: parts.proxy, keepAliveMs });
  const { shared, database } = parts;
  const options = {
    table: deliveryTable(database, parts.unreadable),
    post: createPost(dispatchers, clock, parts.userAgent),
    secretOf: (team: string) => secrets.get(team) ?? secret,
    retryMs,
    timeoutMs: limits.webhookTimeout,
    ...(parts.onAttempt && { onAttempt: parts.onAttempt }),
    clock,
    log,
  };
  const deliveries = shared ? createSharedDeliveries({ ...options, shared, database }) : createDeliveries(options);
  let cancelWait = () => {};
  return {
    events: deliveries,
    /** Sets the secret that a window provides for its team; null if it has none. */
    setSecret(team: string, provided: string | null): void {
      if (provided === null) secrets.delete(team);
      else secrets.set(team, provided);
      deliveries.start();
    },
    start(): void {
      if (parts.awaitWindow) cancelWait = clock.after(windowTimeoutMs, () => deliveries.start());
      else deliveries.start();
    },
    async close(): Promise<void> {
      cancelWait();
      await deliveries.close();
      await dispatchers.close();
    },
  };
}
