import { limits } from '../../../contract/limits.ts';
import { shorten } from '../../../contract/shorten.ts';
import { readInOrder } from './in-order.ts';
import type { CdpMessage } from './messages.ts';
import { notifyAll } from './pipe.ts';
import type { CdpCommand, CdpEvent, CdpEvents, CdpParams, CdpResult } from './protocol.ts';
import type { Relay, RelayClientOptions } from './relay/relay.ts';

/** The service's own CDP connection to a session's browser, with promises for replies and listeners for events. */
export type CdpClient = Awaited<ReturnType<typeof connectCdpClient>>;

/** A command has no answer within its deadline: the page is busy, or the browser hangs. */
export class NoAnswer extends Error {
  override name = 'NoAnswer';
}

/** The browser has stopped, or its connection is closed. */
export class BrowserGone extends Error {
  override name = 'BrowserGone';
}

/** Deadline of commands in milliseconds. */
const deadlineMs = 30_000;
/** Deadline of commands that take as long as the page does; their callers have shorter ones of their own. */
const pageDeadlineMs = limits.scrapeTimeout.max;
const pageCommands = new Set([
  'Page.createIsolatedWorld',
  'Page.navigate',
  'Page.reload',
  'Page.captureScreenshot',
  'Page.printToPDF',
  'Runtime.evaluate',
  'Runtime.callFunctionOn',
]);

/** Connects the service itself to a shared browser. Its commands don't count as session activity. */
export async function connectCdpClient(
  relay: Relay,
  options: Pick<RelayClientOptions, 'claimsDialogs' | 'fitsPages'> & { deadlineMs?: number } = {},
) {
  let nextId = 1;
  let open = true;
  const pending = new Map<
    number,
    { method: string; timer: NodeJS.Timeout; resolve(result: never): void; reject(error: Error): void }
  >();
  const listeners = new Map<string, Set<(params: never, sessionId?: string) => void>>();

  const take = (message: CdpMessage) => {
    if (message.id !== undefined) {
      const call = pending.get(message.id);
      pending.delete(message.id);
      clearTimeout(call?.timer);
      if (message.error) call?.reject(new Error(`${call.method}: ${shorten(String(message.error.message), 300)}`));
      else call?.resolve((message.result ?? {}) as never);
      return;
    }
    const args: [never, string | undefined] = [(message.params ?? {}) as never, message.sessionId];
    notifyAll(listeners.get(message.method ?? '') ?? [], args, relay.fault);
  };
  const hears = (method = '') => open && (listeners.get(method)?.size ?? 0) > 0;
  const disconnect = () => {
    open = false;
    for (const call of pending.values()) {
      clearTimeout(call.timer);
      call.reject(new BrowserGone(`${call.method}: the browser is closed`));
    }
    pending.clear();
  };
  const client = await relay.connect({
    ...options,
    isService: true,
    deliver: readInOrder({ take, hears, pause: relay.pause, fault: relay.fault }),
    onBrowserClose: disconnect,
    onDisconnect: disconnect,
  });

  return {
    /**
     * Sends a command. Rejects with Chrome's error message, when the connection is closed, or when the command's deadline has
     * passed; a browser that doesn't answer a command to itself within its deadline is ended.
     */
    send<Command extends CdpCommand>(
      method: Command,
      params?: CdpParams<Command> | Record<string, never>,
      sessionId?: string,
    ): Promise<CdpResult<Command>> {
      if (!open) return Promise.reject(new BrowserGone(`${method}: the browser is closed`));
      const id = nextId++;
      const { promise, resolve, reject } = Promise.withResolvers<never>();
      const ms = pageCommands.has(method) ? pageDeadlineMs : (options.deadlineMs ?? deadlineMs);
      const timer = setTimeout(() => {
        pending.delete(id);
        reject(new NoAnswer(`${method}: the browser didn't answer within ${ms / 1000} s`));
        // A page may be busy; the browser itself never is for that long.
        if (sessionId === undefined) relay.onUnresponsive();
      }, ms).unref();
      pending.set(id, { method, timer, resolve, reject });
      client.receive({
        id,
        method,
        params: (params ?? {}) as Record<string, unknown>,
        ...(sessionId && { sessionId }),
      });
      return promise;
    },
    /** Adds a listener for an event; returns a function that removes it. */
    on<Event extends CdpEvent>(
      method: Event,
      listener: (params: CdpEvents[Event], sessionId?: string) => void,
    ): () => void {
      const set = listeners.get(method) ?? new Set();
      listeners.set(method, set.add(listener));
      return () => set.delete(listener);
    },
    /** Reports an error of work that an event has started. */
    fault: relay.fault,
    close(): void {
      client.close();
      disconnect();
    },
  };
}
