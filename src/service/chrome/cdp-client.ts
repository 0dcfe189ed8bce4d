import type { CdpMessage } from './messages.ts';
import type { Relay, RelayClientOptions } from './relay/relay.ts';

/** The service's own CDP connection to a session's browser, with promises for replies and listeners for events. */
export interface CdpClient {
  /** Sends a command. Rejects with Chrome's error message, or when the connection is closed. */
  send(method: string, params?: Record<string, unknown>, sessionId?: string): Promise<Record<string, unknown>>;
  /** Adds a listener for an event; returns a function that removes it. */
  on(method: string, listener: (params: Record<string, unknown>, sessionId?: string) => void): () => void;
  close(): void;
}

/** Connects the service itself to a shared browser. Its commands don't count as session activity. */
export async function connectCdpClient(
  relay: Relay,
  options: Pick<RelayClientOptions, 'claimsDialogs' | 'fitsPages'> = {},
): Promise<CdpClient> {
  let nextId = 1;
  let open = true;
  const pending = new Map<
    number,
    { method: string; resolve(result: Record<string, unknown>): void; reject(error: Error): void }
  >();
  const listeners = new Map<string, Set<(params: Record<string, unknown>, sessionId?: string) => void>>();

  // Screencast frames are hundreds of kilobytes: reuse what the relay has already parsed.
  const deliver = (text: string, message: CdpMessage = JSON.parse(text)) => {
    if (message.id !== undefined) {
      const call = pending.get(message.id);
      pending.delete(message.id);
      if (message.error) call?.reject(new Error(`${call.method}: ${message.error.message}`));
      else call?.resolve(message.result ?? {});
      return;
    }
    for (const listener of listeners.get(message.method ?? '') ?? []) listener(message.params ?? {}, message.sessionId);
  };
  const disconnect = () => {
    open = false;
    for (const call of pending.values()) call.reject(new Error(`${call.method}: the browser is closed`));
    pending.clear();
  };
  const client = await relay.connect({ ...options, deliver, onBrowserClose: disconnect, onDisconnect: disconnect });

  return {
    send: (method, params = {}, sessionId) => {
      if (!open) return Promise.reject(new Error(`${method}: the browser is closed`));
      const id = nextId++;
      const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
      pending.set(id, { method, resolve, reject });
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
      disconnect();
    },
  };
}
