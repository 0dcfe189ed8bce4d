import { type DeliveryServer, startDeliveryServer } from './delivery-server.ts';
import { createCommitQueue } from './delivery-store/commit-queue.ts';
import { type DeliveryStore, openDeliveryStore } from './delivery-store/delivery-store.ts';
import { forward, withNewSignature } from './forwarder.ts';
import type { ReceiverCallName, ReceiverCalls, ReceiverSettings, ReceiverUpdate } from './messages.ts';

export type Calls = {
  [Name in ReceiverCallName]: (
    params: ReceiverCalls[Name]['params'],
  ) => ReceiverCalls[Name]['result'] | Promise<ReceiverCalls[Name]['result']>;
};

const updateEveryMs = 100;
const pruneEveryMs = 10 * 60_000;
/** Long, since the handler may be paused at a breakpoint. */
const handlerTimeoutMs = 120_000;
/** New deliveries waiting to be forwarded; any more are only recorded. */
const forwardingQueueLimit = 10_000;

/** Creates the functions that the receiver's thread runs for the extension. */
export function createCalls(sendUpdate: (update: ReceiverUpdate) => void): Calls {
  let store: DeliveryStore | undefined;
  let settings: ReceiverSettings | undefined;
  let server: DeliveryServer | undefined;
  let update: ReceiverUpdate = { arrived: 0, conflicts: [], refused: undefined };
  let updateTimer: NodeJS.Timeout | undefined;
  let lastForwarded = 0;
  let forwarding = false;
  const pendingForwards = new Map<string, AbortController>();

  const requireOpen = () => {
    if (!store || !settings) throw new Error("The delivery store isn't open.");
    return { store, settings };
  };

  function scheduleUpdate(): void {
    if (updateTimer) return;
    updateTimer = setTimeout(() => {
      updateTimer = undefined;
      sendUpdate(update);
      update = { arrived: 0, conflicts: [], refused: update.refused };
    }, updateEveryMs);
  }

  async function send(num: number, url: string, body: Uint8Array | undefined, signal?: AbortSignal) {
    const { store: deliveries, settings: current } = requireOpen();
    const delivery = await deliveries.get(num);
    if (!delivery) throw new Error('This delivery is no longer stored.');
    const headers = body ? withNewSignature(delivery.headers, body, current.secrets[0]) : delivery.headers;
    const result = await forward({
      url,
      headers,
      body: body ?? delivery.body,
      edited: body !== undefined,
      timeoutMs: handlerTimeoutMs,
      ...(signal && { signal }),
    });
    const { at, edited, status, error, ms } = result;
    return { num: await deliveries.addForwarding(num, result), at, url, edited, status, error, ms };
  }

  /** Forwards new deliveries one at a time, in the order received. */
  async function forwardNew(): Promise<void> {
    if (forwarding) return;
    forwarding = true;
    try {
      for (;;) {
        const { store: deliveries, settings: current } = requireOpen();
        if (current.forwardTo === undefined) return;
        const next = await deliveries.after(lastForwarded);
        if (next === undefined) return;
        lastForwarded = Math.max(next, (await deliveries.newest()) - forwardingQueueLimit);
        await send(next, current.forwardTo, undefined);
        scheduleUpdate();
      }
    } catch {
      // The delivery was cleared in the meantime. Forwarding continues with the next one.
    } finally {
      forwarding = false;
    }
  }

  async function configure(next: ReceiverSettings): Promise<void> {
    // Only deliveries received from now on are forwarded automatically.
    if (next.forwardTo !== undefined && settings?.forwardTo === undefined) lastForwarded = (await store?.newest()) ?? 0;
    settings = next;
    store?.setBounds(next.bounds);
  }

  /** Deletes what is too old. Never rejects: what can't be deleted now is deleted later. */
  async function prune(): Promise<void> {
    await store?.prune(Date.now()).catch(() => undefined);
  }

  return {
    async open({ directory, settings: given }) {
      let movedAside: string | undefined;
      store ??= await openDeliveryStore(directory, given.bounds, (to) => {
        movedAside = to;
      });
      await configure(given);
      await prune();
      setInterval(() => void prune(), pruneEveryMs).unref();
      return { movedAside };
    },
    async configure(next) {
      await configure(next);
      return undefined;
    },
    async listen({ port }) {
      const { store: deliveries } = requireOpen();
      await server?.close();
      update.refused = undefined;
      server = await startDeliveryServer(port, {
        queue: createCommitQueue(deliveries),
        rules: () => requireOpen().settings,
        onStored(result, { webhookId }) {
          if (result === 'stored') update.arrived++;
          if (result === 'conflicting' && update.conflicts.length < 100) update.conflicts.push(webhookId);
          scheduleUpdate();
          if (result === 'stored') void forwardNew();
        },
        onRefused(status, error, host) {
          update.refused = { status, error, host, count: (update.refused?.count ?? 0) + 1, at: Date.now() };
          scheduleUpdate();
        },
      });
      return { port: server.port };
    },
    async stopListening() {
      await server?.close();
      server = undefined;
      return undefined;
    },
    async list({ jobId, limit }) {
      const { store: deliveries } = requireOpen();
      return { deliveries: await deliveries.list({ jobId, limit }), total: await deliveries.count(jobId) };
    },
    jobs: () => requireOpen().store.jobs(),
    get: ({ num }) => requireOpen().store.get(num),
    forwarding: ({ num }) => requireOpen().store.forwarding(num),
    async clear() {
      await requireOpen().store.clear();
      return undefined;
    },
    async forward({ num, url, body, call }) {
      const controller = new AbortController();
      pendingForwards.set(call, controller);
      try {
        return await send(num, url, body, controller.signal);
      } finally {
        pendingForwards.delete(call);
      }
    },
    cancelForward: ({ call }) => void pendingForwards.get(call)?.abort(),
  };
}
