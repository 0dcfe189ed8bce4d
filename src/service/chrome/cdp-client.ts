import type { CdpMessage } from './messages.ts';
import type { Relay, RelayClientOptions } from './relay.ts';

/** The service's own CDP connection to a session's browser, as promises and events. */
export interface CdpClient {
  /** Sends a command; rejects with Chrome's message, or when the connection is gone. */
  send(method: string, params?: Record<string, unknown>, sessionId?: string): Promise<Record<string, unknown>>;
  /** Calls back for every event of this name; gives back a function that ends it. */
  on(method: string, listener: (params: Record<string, unknown>, sessionId?: string) => void): () => void;
  close(): void;
}

/** Connects the service itself to a shared browser. Its commands do not count as activity of the session. */
export async function connectCdpClient(
  relay: Relay,
  options: Pick<RelayClientOptions, 'claimsDialogs'> = {},
): Promise<CdpClient> {
  let nextId = 1;
  let open = true;
  const waiting = new Map<
    number,
    { method: string; resolve(result: Record<string, unknown>): void; reject(error: Error): void }
  >();
  const listeners = new Map<string, Set<(params: Record<string, unknown>, sessionId?: string) => void>>();

  // A picture is hundreds of kilobytes: what the relay has parsed is not parsed again.
  const deliver = (text: string, message: CdpMessage = JSON.parse(text)) => {
    if (message.id !== undefined) {
      const call = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error) call?.reject(new Error(`${call.method}: ${message.error.message}`));
      else call?.resolve(message.result ?? {});
      return;
    }
    for (const listener of listeners.get(message.method ?? '') ?? []) listener(message.params ?? {}, message.sessionId);
  };
  const end = () => {
    open = false;
    for (const call of waiting.values()) call.reject(new Error(`${call.method}: the browser is gone`));
    waiting.clear();
  };
  const client = await relay.connect({ ...options, deliver, onBrowserClose: end, onDisconnect: end });

  return {
    send: (method, params = {}, sessionId) => {
      if (!open) return Promise.reject(new Error(`${method}: the browser is gone`));
      const id = nextId++;
      const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
      waiting.set(id, { method, resolve, reject });
      client.receive({ id, method, params, ...(sessionId && { sessionId }) });
      return promise;
    },
    on: (method, listener) => {
      const set = listeners.get(method) ?? new Set();
      listeners.set(method, set.add(listener));
      return () => set.delete(listener);
    },
    close: () => {
      client.close();
      end();
    },
  };
}
