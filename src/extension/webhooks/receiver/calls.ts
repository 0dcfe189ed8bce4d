import { messageOf } from '../../ui/text/text.ts';
import type { ReceiverSettings, ReceiverUpdate } from './deliveries.ts';
import { type DeliveryServer, startDeliveryServer } from './delivery-server.ts';
import { createCommitQueue } from './delivery-store/commit-queue.ts';
import type { DeliveryStore } from './delivery-store/delivery-store.ts';
import { openDeliveryStore } from './delivery-store/open-delivery-store.ts';
import { automaticForwarding, forward, withNewSignature } from './forwarder.ts';

/** The calls from the extension to the receiver's thread. */
export type ReceiverCalls = ReturnType<typeof createCalls>;

const updateEveryMs = 100;
const pruneEveryMs = 10 * 60_000;
/** Long, since the handler may be paused at a breakpoint. */
const handlerTimeoutMs = 120_000;

/** Creates the functions that the receiver's thread runs for the extension. */
export function createCalls(sendUpdate: (update: ReceiverUpdate) => void) {
  let store: DeliveryStore | undefined;
  let settings: ReceiverSettings | undefined;
  let server: DeliveryServer | undefined;
  let update: ReceiverUpdate = { arrived: 0, conflicts: [], failures: [], refused: undefined };
  let updateTimer: NodeJS.Timeout | undefined;
  let forwarding: ReturnType<typeof automaticForwarding> | undefined;
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
      update = { arrived: 0, conflicts: [], failures: [], refused: update.refused };
    }, updateEveryMs);
  }

  async function send(num: number, url: string, body: Uint8Array | undefined, signal?: AbortSignal) {
    const { store: deliveries, settings: current } = requireOpen();
    const delivery = deliveries.get(num);
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
    return { num: deliveries.addForwarding(num, result), at, url, edited, status, error, ms };
  }

  function configure(next: ReceiverSettings): void {
    settings = next;
    store?.setBounds(next.bounds);
    forwarding?.setHandler(next.forwardTo);
  }

  /** Deletes what is too old. Never throws: what can't be deleted now is deleted later. */
  function prune(): void {
    try {
      store?.prune(Date.now());
    } catch {
      // The disk may be full, or another program may hold the file.
    }
  }

  return {
    /** Opens the store of recorded deliveries. */
    open({ directory, settings: given }: { directory: string; settings: ReceiverSettings }) {
      let movedAside: string | undefined;
      store ??= openDeliveryStore(directory, given.bounds, (to) => {
        movedAside = to;
      });
      forwarding ??= automaticForwarding({
        store,
        send: (num, url, signal) => send(num, url, undefined, signal),
        onForwarded: scheduleUpdate,
        onFailure(error) {
          update.failures.push(messageOf(error));
          scheduleUpdate();
        },
      });
      configure(given);
      prune();
      setInterval(prune, pruneEveryMs).unref();
      return { movedAside };
    },
    configure,
    /** Rejects with an error that has Node's `code`. */
    async listen({ port }: { port: number }) {
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
          if (result === 'stored') forwarding?.wake();
        },
        onRefused(status, error, host) {
          update.refused = { status, error, host, count: (update.refused?.count ?? 0) + 1 };
          scheduleUpdate();
        },
      });
      return { port: server.port };
    },
    async stopListening() {
      await server?.close();
      server = undefined;
    },
    list({ jobId, limit }: { jobId: string | undefined; limit: number }) {
      const { store: deliveries } = requireOpen();
      return { deliveries: deliveries.list({ jobId, limit }), total: deliveries.count(jobId) };
    },
    jobs: () => requireOpen().store.jobs(),
    get: ({ num }: { num: number }) => requireOpen().store.get(num),
    forwarding: ({ num }: { num: number }) => requireOpen().store.forwarding(num),
    clear: () => void requireOpen().store.clear(),
    /** Sends a delivery to a handler, with a different body if one is given. `call` identifies the call for `cancelForward`. */
    async forward({ num, url, body, call }: { num: number; url: string; body: Uint8Array | undefined; call: string }) {
      const controller = new AbortController();
      pendingForwards.set(call, controller);
      try {
        return await send(num, url, body, controller.signal);
      } finally {
        pendingForwards.delete(call);
      }
    },
    cancelForward: ({ call }: { call: string }) => void pendingForwards.get(call)?.abort(),
  };
}
