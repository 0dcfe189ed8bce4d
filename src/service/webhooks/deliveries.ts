import { randomUUID } from 'node:crypto';
import { signatureOf } from '../../contract/webhook-signature.ts';
import type { Clock } from '../clock.ts';
import type { JobEvent, JobEvents } from '../crawl/run/job-events.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Delivery, DeliveryTable } from './delivery-table.ts';
import type { Post } from './post.ts';
import type { WebhookSecrets } from './webhooks.ts';

/** Delivers the events of jobs to the receivers that their webhooks name. */
export interface Deliveries extends JobEvents {
  /** Starts sending, including what an earlier service left. Until then, deliveries are only stored. */
  start(): void;
  /** Stops sending. The next service resends attempts in flight, under the same id. */
  close(): void;
}

export interface DeliveriesOptions {
  table: DeliveryTable;
  post: Post;
  secrets: WebhookSecrets;
  /** Milliseconds from each failed attempt to the next, one entry per retry. */
  retryMs: readonly number[];
  timeoutMs: number;
  clock: Clock;
  log: Log;
}

/** Attempts to one receiver. Each receiver has its own limits, so that a slow one delays no other. */
interface Receiver {
  /** Jobs that may have first attempts to make; true while one is in progress. */
  jobs: Map<string, boolean>;
  retrying: Set<number>;
}

/** Jobs that send first attempts to one receiver at the same time; each job sends one at a time, to keep their order. */
const jobsAtATime = 4;
const retriesAtATime = 4;
/** Longest wait before the clock is checked again, in case it was changed or the machine slept. */
const longestWaitMs = 60_000;

export function createDeliveries({
  table,
  post,
  secrets,
  retryMs,
  timeoutMs,
  clock,
  log,
}: DeliveriesOptions): Deliveries {
  const receivers = new Map<string, Receiver>();
  const stop = new AbortController();
  const longestRetryMs = Math.max(0, ...retryMs);
  let started = false;
  let cancelTimer = () => {};

  function receiver(url: string): Receiver {
    const known = receivers.get(url);
    if (known) return known;
    const fresh: Receiver = { jobs: new Map(), retrying: new Set() };
    receivers.set(url, fresh);
    return fresh;
  }

  function addJob(jobId: string, url: string): void {
    const { jobs } = receiver(url);
    if (!jobs.has(jobId)) jobs.set(jobId, false);
  }

  function pump(url: string): void {
    const target = receiver(url);
    if (!started || stop.signal.aborted) return;
    for (const [jobId, busy] of target.jobs) {
      if (busy) continue;
      if ([...target.jobs.values()].filter(Boolean).length >= jobsAtATime) break;
      const delivery = table.next(jobId);
      if (delivery) {
        target.jobs.set(jobId, true);
        void attempt(delivery).finally(() => {
          // To the back of the queue, so that jobs take turns.
          target.jobs.delete(jobId);
          target.jobs.set(jobId, false);
          pump(url);
        });
      } else target.jobs.delete(jobId);
    }
    const free = retriesAtATime - target.retrying.size;
    const due = free > 0 ? table.due(url, dueWindow(), retriesAtATime * 2) : [];
    for (const num of due.filter((one) => !target.retrying.has(one)).slice(0, free)) {
      const delivery = table.get(num);
      if (!delivery) continue;
      target.retrying.add(num);
      void attempt(delivery).finally(() => {
        target.retrying.delete(num);
        pump(url);
      });
    }
    if (target.jobs.size === 0 && target.retrying.size === 0) receivers.delete(url);
  }

  async function attempt(delivery: Delivery): Promise<void> {
    const body = Buffer.from(delivery.body);
    const secret = secrets.of(delivery.team);
    const outcome = await post({
      url: delivery.url,
      headers: delivery.headers,
      body,
      signature: secret === undefined ? undefined : signatureOf(body, secret),
      timeoutMs,
      stop: stop.signal,
    });
    if (stop.signal.aborted) return;
    try {
      settle(delivery, outcome.acknowledged || 'stopped' in outcome ? undefined : outcome.reason);
    } catch (error) {
      // The disk may be full: the attempt isn't recorded, and the delivery is sent again later.
      log.error({ delivery: delivery.id, reason: messageOf(error) }, 'the outcome of a delivery could not be stored');
      await new Promise<void>((resolve) => clock.after(longestWaitMs, resolve));
    }
  }

  function settle(delivery: Delivery, failure: string | undefined): void {
    const { num, id, jobId, type, attempts } = delivery;
    if (failure === undefined) return table.remove(num);
    const wait = retryMs[attempts];
    const details = { delivery: id, job: jobId, type, attempt: attempts + 1, reason: failure };
    if (wait === undefined) {
      log.warn(details, 'a webhook delivery failed: its receiver did not acknowledge any attempt');
      return table.remove(num);
    }
    log.info({ ...details, retryInSeconds: wait / 1000 }, 'a webhook delivery was not acknowledged');
    table.retryAt(num, clock.now() + wait);
    setTimer();
  }

  function dueWindow() {
    const now = clock.now();
    return { now, furthest: now + longestRetryMs };
  }

  function setTimer(): void {
    cancelTimer();
    const due = table.nextDue(clock.now());
    if (due === undefined) return;
    cancelTimer = clock.after(Math.min(Math.max(1, due - clock.now()), longestWaitMs), wake);
  }

  function wake(): void {
    for (const url of table.dueReceivers(dueWindow())) pump(url);
    setTimer();
  }

  return {
    emit(event) {
      const { webhook, team, jobId, type } = event;
      if (!webhook || !isWanted(event)) return;
      const { url, headers = {} } = webhook;
      const id = randomUUID();
      const body = deliveryBody(event, id);
      table.insert({ id, team, jobId, type, url, headers, body, createdAt: clock.now() });
      // There is nothing to send until the surrounding transaction has ended.
      setImmediate(() => {
        if (stop.signal.aborted) return;
        addJob(jobId, url);
        pump(url);
      });
    },
    start() {
      if (started || stop.signal.aborted) return;
      started = true;
      for (const { jobId, url } of table.jobs()) addJob(jobId, url);
      for (const url of [...receivers.keys()]) pump(url);
      wake();
    },
    close() {
      stop.abort();
      cancelTimer();
    },
  };
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
