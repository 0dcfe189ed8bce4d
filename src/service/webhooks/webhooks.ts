import type { DatabaseSync } from 'node:sqlite';
import { limits } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import type { JobEvents } from '../crawl/run/job-events.ts';
import type { AddressPolicy } from '../fetch/address-policy.ts';
import { createDispatchers } from '../fetch/dispatchers.ts';
import type { Log } from '../log.ts';
import { createDeliveries } from './deliveries.ts';
import { deliveryTable } from './delivery-table.ts';
import { createPost } from './post.ts';
import type { WebhookOptions } from './webhook-options.ts';

/** The sending of webhooks, as the service holds it. */
export interface Webhooks {
  readonly events: JobEvents;
  /** A window gave its team's secret; null: it has none. */
  setSecret(team: string, secret: string | null): void;
  start(): void;
  close(): Promise<void>;
}

export interface WebhookParts {
  database: DatabaseSync;
  policy: AddressPolicy;
  proxy: string | undefined;
  userAgent: string;
  /** Wait for a window's word about the secret before anything is sent, so that nothing goes out unsigned. */
  awaitWindow: boolean;
  clock: Clock;
  log: Log;
}

/** How long to wait for a window that has nothing to say about secrets. */
const windowPatienceMs = 10_000;
/** Short: a connection that a receiver closes just then would cost a delivery its attempt. */
const keepAliveMs = 1_000;

export function openWebhooks({ secret, retryMs }: WebhookOptions, parts: WebhookParts): Webhooks {
  const { clock, log } = parts;
  const secrets = createWebhookSecrets(secret);
  const dispatchers = createDispatchers({ policy: parts.policy, proxy: parts.proxy, keepAliveMs });
  const webhooks = createDeliveries({
    table: deliveryTable(parts.database),
    post: createPost(dispatchers, clock, parts.userAgent),
    secrets,
    retryMs,
    timeoutMs: limits.webhookTimeout,
    clock,
    log,
  });
  let cancelWait = () => {};
  return {
    events: webhooks,
    setSecret(team, given) {
      secrets.set(team, given ?? undefined);
      webhooks.start();
    },
    start() {
      if (parts.awaitWindow) cancelWait = clock.after(windowPatienceMs, () => webhooks.start());
      else webhooks.start();
    },
    async close() {
      cancelWait();
      webhooks.close();
      await dispatchers.close();
    },
  };
}

/** What deliveries are signed with. */
export interface WebhookSecrets {
  /** Undefined: deliveries of the team carry no signature. */
  of(team: string): string | undefined;
  /** Takes what a window gave; undefined goes back to what the service was started with. */
  set(team: string, secret: string | undefined): void;
}

/** @param configured the secret that the service was started with; a window's own goes before it */
function createWebhookSecrets(configured: string | undefined): WebhookSecrets {
  const given = new Map<string, string>();
  return {
    of: (team) => given.get(team) ?? configured,
    set(team, secret) {
      if (secret === undefined) given.delete(team);
      else given.set(team, secret);
    },
  };
}
