import { WebSocket } from 'ws';
import { messageOf, ServiceError } from '../errors.ts';
import type { Browser, BrowserProvider } from './chrome.ts';
import { confinePipe } from './context-pipe.ts';
import type { CdpMessage } from './messages.ts';
import type { CdpPipe } from './pipe.ts';

export interface RemoteChromeOptions {
  /** WebSocket URL of a CDP endpoint. It may contain a token: never log or show it. */
  endpoint: string;
  connectTimeoutMs?: number;
}

/** Endpoints whose path identifies one running browser, so that every connection reaches the same one. */
const sharedBrowserPath = /\/devtools\/browser\/|\/se\/cdp$/;

/** Provides browsers from a CDP endpoint: a new one per connection (such as browserless), or one context per session of a shared browser. */
export function remoteChrome({ endpoint, connectTimeoutMs = 30_000 }: RemoteChromeOptions): BrowserProvider {
  const shared = sharedBrowserPath.test(new URL(endpoint).pathname);
  return {
    keepsProfiles: !shared,
    local: false,
    async open() {
      let connection: Connection;
      try {
        connection = await connect(endpoint, connectTimeoutMs);
      } catch (error) {
        throw new ServiceError(
          503,
          `The browser endpoint on ${new URL(endpoint).host} cannot be reached: ${messageOf(error)}. Check that it is running and that --browser-endpoint is correct.`,
          {
            code: 'NO_BROWSER',
          },
        );
      }
      const { product } = await connection.call('Browser.getVersion');
      return shared ? await openContext(connection, String(product)) : dedicatedBrowser(connection, String(product));
    },
  };
}

interface Connection {
  pipe: CdpPipe;
  ended: Promise<string>;
  call(method: string, params?: Record<string, unknown>): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

function dedicatedBrowser({ pipe, ended, call, close }: Connection, product: string): Browser {
  return {
    pipe,
    product,
    ended,
    async close() {
      await Promise.race([call('Browser.close').catch(() => undefined), ended]);
      await close();
    },
  };
}

async function openContext({ pipe, ended, call, close }: Connection, product: string): Promise<Browser> {
  const { browserContextId } = await call('Target.createBrowserContext', { disposeOnDetach: true });
  const contextId = String(browserContextId);
  return {
    pipe: confinePipe(pipe, contextId),
    product,
    ended,
    async close() {
      await Promise.race([
        call('Target.disposeBrowserContext', { browserContextId: contextId }).catch(() => undefined),
        ended,
      ]);
      await close();
    },
  };
}

async function connect(endpoint: string, timeoutMs: number): Promise<Connection> {
  const socket = new WebSocket(endpoint, {
    handshakeTimeout: timeoutMs,
    perMessageDeflate: false,
    maxPayload: 256 * 1024 * 1024,
  });
  const listeners = new Set<(message: CdpMessage, text: string) => void>();
  const pending = new Map<number, { resolve(result: Record<string, unknown>): void; reject(error: Error): void }>();
  let nextId = -1;
  const ended = new Promise<string>((resolve) => {
    socket.on('close', () => resolve('lost its connection'));
  });
  socket.on('message', (data) => {
    const text = String(data);
    const message = JSON.parse(text) as CdpMessage;
    const call = message.id === undefined ? undefined : pending.get(message.id);
    if (call && message.id !== undefined) {
      pending.delete(message.id);
      if (message.error) call.reject(new Error(message.error.message));
      else call.resolve(message.result ?? {});
      return;
    }
    for (const listener of listeners) listener(message, text);
  });
  await new Promise<void>((resolve, reject) => {
    socket.on('open', () => resolve());
    socket.on('error', (error) => {
      reject(error);
      socket.terminate();
    });
  });
  let open = true;
  const closeListeners = new Set<() => void>();
  void ended.then(() => {
    open = false;
    for (const call of pending.values()) call.reject(new Error('the connection is closed'));
    for (const listener of closeListeners) listener();
  });
  return {
    ended,
    pipe: {
      send: (message) => {
        if (open) socket.send(JSON.stringify(message));
      },
      onMessage: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      onClose: (listener) => {
        if (open) closeListeners.add(listener);
        else listener();
        return () => closeListeners.delete(listener);
      },
    },
    call: (method, params = {}) => {
      // Commands sent here use negative IDs: a relay's are positive.
      const id = nextId--;
      const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
      pending.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params }));
      return promise;
    },
    close: async () => {
      socket.close();
      const timer = setTimeout(() => socket.terminate(), 2000);
      await ended;
      clearTimeout(timer);
    },
  };
}
