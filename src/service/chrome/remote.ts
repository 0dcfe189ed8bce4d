import { WebSocket } from 'ws';
import { messageOf, ServiceError } from '../errors.ts';
import type { Browser, BrowserProvider } from './chrome.ts';
import { confinePipe } from './context-pipe.ts';
import type { CdpMessage } from './messages.ts';
import { type CdpPipe, notifyAll, parseMessage } from './pipe.ts';

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
      try {
        const { product } = await connection.call('Browser.getVersion');
        return shared ? await openContext(connection, String(product)) : dedicatedBrowser(connection, String(product));
      } catch (error) {
        connection.abandon('did not start');
        throw new ServiceError(
          502,
          `The browser endpoint on ${new URL(endpoint).host} does not work: ${messageOf(error)}.`,
          { code: 'BROWSER_START', cause: error },
        );
      }
    },
  };
}

interface Connection {
  pipe: CdpPipe;
  ended: Promise<string>;
  /** Rejects after `timeoutMs`. */
  call(method: string, params?: Record<string, unknown>, timeoutMs?: number): Promise<Record<string, unknown>>;
  close(): Promise<void>;
  abandon(how: string): void;
}

/** How long the endpoint may take to answer, and a browser to close, in milliseconds. */
const answerMs = 30_000;
const closeMs = 3000;

function dedicatedBrowser({ pipe, ended, call, close, abandon }: Connection, product: string): Browser {
  return {
    pipe,
    product,
    ended,
    abandon,
    async close() {
      await Promise.race([call('Browser.close', {}, closeMs).catch(() => undefined), ended]);
      await close();
    },
  };
}

async function openContext({ pipe, ended, call, close, abandon }: Connection, product: string): Promise<Browser> {
  const { browserContextId } = await call('Target.createBrowserContext', { disposeOnDetach: true });
  const contextId = String(browserContextId);
  return {
    pipe: confinePipe(pipe, contextId),
    product,
    ended,
    abandon,
    async close() {
      await Promise.race([
        call('Target.disposeBrowserContext', { browserContextId: contextId }, closeMs).catch(() => undefined),
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
  let cause = 'lost its connection';
  const ended = new Promise<string>((resolve) => {
    socket.on('close', () => resolve(cause));
  });
  const abandon = (how: string) => {
    cause = how;
    socket.terminate();
  };
  socket.on('message', (data) => {
    const parsed = parseMessage(Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer));
    if (!parsed) return abandon('sent a message that is not valid CDP');
    const { message, text } = parsed;
    const call = message.id === undefined ? undefined : pending.get(message.id);
    if (call && message.id !== undefined) {
      pending.delete(message.id);
      if (message.error) call.reject(new Error(message.error.message));
      else call.resolve(message.result ?? {});
      return;
    }
    notifyAll(listeners, message, text);
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
    notifyAll(closeListeners);
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
    abandon,
    call: (method, params = {}, timeoutMs = answerMs) => {
      // Commands sent here use negative IDs: a relay's are positive.
      const id = nextId--;
      const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
      pending.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params }));
      const timer = setTimeout(() => {
        pending.delete(id);
        reject(new Error(`${method} was not answered within ${timeoutMs / 1000} s`));
      }, timeoutMs).unref();
      return promise.finally(() => clearTimeout(timer));
    },
    close: async () => {
      socket.close();
      const timer = setTimeout(() => socket.terminate(), 2000);
      await ended;
      clearTimeout(timer);
    },
  };
}
