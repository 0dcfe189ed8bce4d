import { type Receiver, startReceiver } from './delivery-server.ts';
import { createCommitQueue } from './delivery-store/commit-queue.ts';
import { type DeliveryStore, openDeliveryStore } from './delivery-store/delivery-store.ts';
import { forward, resigned } from './forwarder.ts';
import type { ReceiverCallName, ReceiverCalls, ReceiverNews, ReceiverSettings } from './messages.ts';

export type Calls = {
  [Name in ReceiverCallName]: (
    params: ReceiverCalls[Name]['params'],
  ) => ReceiverCalls[Name]['result'] | Promise<ReceiverCalls[Name]['result']>;
};

const newsEveryMs = 100;
const pruneEveryMs = 10 * 60_000;
/** A developer may sit at a breakpoint. */
const handlerTimeoutMs = 120_000;
/** New deliveries that wait to be forwarded; beyond that they are only recorded. */
const forwardingQueueLimit = 10_000;

/** What the receiver's thread does for the extension. */
export function createCalls(tell: (news: ReceiverNews) => void): Calls {
  let store: DeliveryStore | undefined;
  let settings: ReceiverSettings | undefined;
  let receiver: Receiver | undefined;
  let news: ReceiverNews = { arrived: 0, conflicts: [], refused: undefined };
  let newsTimer: NodeJS.Timeout | undefined;
  let lastForwarded = 0;
  let forwarding = false;
  const givingUp = new Map<string, AbortController>();

  const opened = () => {
    if (!store || !settings) throw new Error('The store of deliveries is not open.');
    return { store, settings };
  };

  function tellSoon(): void {
    if (newsTimer) return;
    newsTimer = setTimeout(() => {
      newsTimer = undefined;
      tell(news);
      news = { arrived: 0, conflicts: [], refused: news.refused };
    }, newsEveryMs);
  }

  async function send(num: number, url: string, body: Uint8Array | undefined, signal?: AbortSignal) {
    const { store: own, settings: now } = opened();
    const delivery = own.get(num);
    if (!delivery) throw new Error('That delivery is not kept any more.');
    const headers = body ? resigned(delivery.headers, body, now.secrets[0]) : delivery.headers;
    const result = await forward({
      url,
      headers,
      body: body ?? delivery.body,
      edited: body !== undefined,
      timeoutMs: handlerTimeoutMs,
      ...(signal && { signal }),
    });
    const { at, edited, status, error, ms } = result;
    return { num: own.addForwarding(num, result), at, url, edited, status, error, ms };
  }

  /** One after another, in the order in which they came. */
  async function forwardNew(): Promise<void> {
    if (forwarding) return;
    forwarding = true;
    try {
      for (;;) {
        const { store: own, settings: now } = opened();
        if (now.forwardTo === undefined) return;
        const next = own.after(lastForwarded);
        if (next === undefined) return;
        lastForwarded = Math.max(next, own.newest() - forwardingQueueLimit);
        await send(next, now.forwardTo, undefined);
        tellSoon();
      }
    } catch {
      // The delivery was cleared meanwhile; the next arrival goes on from there.
    } finally {
      forwarding = false;
    }
  }

  function configure(next: ReceiverSettings): void {
    // Only what comes from now on is forwarded by itself.
    if (next.forwardTo !== undefined && settings?.forwardTo === undefined) lastForwarded = store?.newest() ?? 0;
    settings = next;
    store?.setBounds(next.bounds);
  }

  return {
    open({ directory, settings: given }) {
      let movedAside: string | undefined;
      store ??= openDeliveryStore(directory, given.bounds, (to) => {
        movedAside = to;
      });
      configure(given);
      store.prune(Date.now());
      setInterval(() => store?.prune(Date.now()), pruneEveryMs).unref();
      return { movedAside };
    },
    configure: (next) => void configure(next),
    async listen({ port }) {
      const { store: own } = opened();
      await receiver?.close();
      news.refused = undefined;
      receiver = await startReceiver(port, {
        queue: createCommitQueue(own),
        rules: () => opened().settings,
        onStored(stored, { webhookId }) {
          if (stored === 'stored') news.arrived++;
          if (stored === 'conflicting' && news.conflicts.length < 100) news.conflicts.push(webhookId);
          tellSoon();
          if (stored === 'stored') void forwardNew();
        },
        onRefused(status, error, host) {
          news.refused = { status, error, host, count: (news.refused?.count ?? 0) + 1, at: Date.now() };
          tellSoon();
        },
      });
      return { port: receiver.port };
    },
    async stopListening() {
      await receiver?.close();
      receiver = undefined;
      return undefined;
    },
    list({ jobId, limit }) {
      const { store: own } = opened();
      return { deliveries: own.list({ jobId, limit }), total: own.count(jobId) };
    },
    jobs: () => opened().store.jobs(),
    get: ({ num }) => opened().store.get(num),
    forwarding: ({ num }) => opened().store.forwarding(num),
    clear: () => void opened().store.clear(),
    async forward({ num, url, body, call }) {
      const controller = new AbortController();
      givingUp.set(call, controller);
      try {
        return await send(num, url, body, controller.signal);
      } finally {
        givingUp.delete(call);
      }
    },
    giveUp: ({ call }) => void givingUp.get(call)?.abort(),
  };
}
