import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type CdpMessage, type CdpText, readMessage, textOf } from '../messages.ts';
import { type CdpPipe, countingFaults, invalidMessages, notifyAll, pausing } from '../pipe.ts';
import type { CdpCommand, CdpParams, CdpResult } from '../protocol.ts';

/** A CDP connection to a browser that runs elsewhere. */
export type Connection = Awaited<ReturnType<typeof connect>>;

export interface ConnectOptions {
  /** Milliseconds for the handshake. */
  timeoutMs: number;
  headers?: Record<string, string>;
}

/** How long a command may take unless its caller says otherwise, in milliseconds. */
const answerMs = 30_000;

/** Connects to a WebSocket URL, which may contain a token: errors don't repeat it. */
export async function connect(url: string, { timeoutMs, headers = {} }: ConnectOptions) {
  const socket = new WebSocket(url, {
    headers,
    handshakeTimeout: timeoutMs,
    perMessageDeflate: false,
    // Each message has a turn of its own, however many arrive together.
    allowSynchronousEvents: false,
    maxPayload: 256 * 1024 * 1024,
  });
  const listeners = new Set<(message: CdpMessage, text: CdpText) => void>();
  const pending = new Map<number, { resolve(result: never): void; reject(error: Error): void }>();
  let nextId = -1;
  let cause = 'lost its connection';
  const ended = new Promise<string>((resolve) => {
    socket.on('close', () => resolve(cause));
  });
  let isAbandoned = false;
  const abandon = (how: string) => {
    isAbandoned = true;
    cause = how;
    socket.terminate();
  };
  const fault = countingFaults(() => abandon(invalidMessages));
  socket.on('message', (data) => {
    // Of one that is abandoned, messages may have arrived already.
    if (isAbandoned) return;
    const parsed = readMessage([data as Buffer]);
    if (!parsed) return abandon('sent a message that is not valid CDP');
    const { message, text } = parsed;
    const call = message.id === undefined ? undefined : pending.get(message.id);
    if (call && message.id !== undefined) {
      pending.delete(message.id);
      if (message.error) call.reject(new Error(message.error.message));
      else call.resolve((message.result ?? {}) as never);
      return;
    }
    notifyAll(listeners, [message, text], fault);
  });
  socket.on('error', () => socket.terminate());
  await once(socket, 'open');
  let open = true;
  const closeListeners = new Set<() => void>();
  void ended.then(() => {
    open = false;
    for (const call of pending.values()) call.reject(new Error('the connection is closed'));
    notifyAll(closeListeners, []);
  });
  const pipe: CdpPipe = {
    send: (message) => {
      if (!open) return;
      const text = textOf(message);
      socket.send(typeof text === 'string' ? text : Buffer.concat(text), { binary: false });
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
    pause: pausing(socket),
    backlog: () => (open ? socket.bufferedAmount : 0),
    fault,
  };
  return {
    ended,
    pipe,
    abandon,
    /** Sends a command. Rejects after `timeoutMs`. */
    call<Command extends CdpCommand>(
      method: Command,
      params?: CdpParams<Command>,
      timeoutMs = answerMs,
    ): Promise<CdpResult<Command>> {
      if (!open) return Promise.reject(new Error('the connection is closed'));
      // Commands sent here use negative IDs: a relay's are positive.
      const id = nextId--;
      const { promise, resolve, reject } = Promise.withResolvers<never>();
      pending.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params: params ?? {} }));
      const timer = setTimeout(() => {
        pending.delete(id);
        reject(new Error(`${method} was not answered within ${timeoutMs / 1000} s`));
      }, timeoutMs).unref();
      return promise.finally(() => clearTimeout(timer));
    },
    async close(): Promise<void> {
      socket.close();
      const timer = setTimeout(() => socket.terminate(), 2000);
      await ended;
      clearTimeout(timer);
    },
  };
}
