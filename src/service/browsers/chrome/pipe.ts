import type { Readable, Writable } from 'node:stream';
import type { CdpMessage } from './messages.ts';

/** A CDP connection to a browser. */
export interface CdpPipe {
  send(message: CdpMessage): void;
  /** Adds a listener for every message and its JSON text; returns a function that removes it. */
  onMessage(listener: (message: CdpMessage, text: string) => void): () => void;
  /** Calls back once when the connection closes, or at once if it is closed; returns a function that removes the listener. */
  onClose(listener: () => void): () => void;
}

/** Maximum size of one message from a browser, in bytes. */
export const maxMessageBytes = 512 * 1024 * 1024;

/**
 * Opens a CDP connection over the two ends of `--remote-debugging-pipe`: JSON messages, each followed by a NUL byte.
 * `onBroken` is called with a predicate such as `sent a message that is not JSON`; the connection is closed by then.
 */
export function openPipe(toChrome: Writable, fromChrome: Readable, onBroken: (how: string) => void): CdpPipe {
  const messageListeners = new Set<(message: CdpMessage, text: string) => void>();
  const closeListeners = new Set<() => void>();
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let closed = false;

  const close = () => {
    if (closed) return;
    closed = true;
    notifyAll(closeListeners);
  };
  const fail = (how: string) => {
    pending = [];
    fromChrome.destroy();
    toChrome.destroy();
    close();
    onBroken(how);
  };
  const deliver = (bytes: Buffer) => {
    const parsed = parseMessage(bytes);
    if (!parsed) return fail('sent a message that is not valid CDP');
    notifyAll(messageListeners, parsed.message, parsed.text);
  };

  fromChrome.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1 && !closed; end = chunk.indexOf(0, start)) {
      const piece = chunk.subarray(start, end);
      start = end + 1;
      if (pending.length === 0) deliver(piece);
      else {
        const whole = Buffer.concat([...pending, piece]);
        pending = [];
        pendingBytes = 0;
        deliver(whole);
      }
    }
    if (closed || start === chunk.length) return;
    pending.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > maxMessageBytes) fail('sent a message that is too large');
  });
  for (const stream of [toChrome, fromChrome]) {
    stream.on('close', close);
    // The close event reports that the other end is gone; a write in progress is lost.
    stream.on('error', close);
  }

  return {
    send: (message) => {
      if (!closed) toChrome.write(`${JSON.stringify(message)}\0`);
    },
    onMessage: (listener) => {
      messageListeners.add(listener);
      return () => messageListeners.delete(listener);
    },
    onClose: (listener) => {
      if (closed) listener();
      else closeListeners.add(listener);
      return () => closeListeners.delete(listener);
    },
  };
}

/** Parses a CDP message; returns undefined if it isn't one. */
export function parseMessage(bytes: Buffer): { message: CdpMessage; text: string } | undefined {
  try {
    // Decoding throws if the text exceeds the maximum length of a string.
    const text = bytes.toString('utf8');
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null ? { message: message as CdpMessage, text } : undefined;
  } catch {
    return undefined;
  }
}

/** Calls every listener. One that throws doesn't keep the others from the call; its error is thrown as an uncaught exception. */
export function notifyAll<Args extends unknown[]>(listeners: Iterable<(...args: Args) => void>, ...args: Args): void {
  for (const listener of listeners) {
    try {
      listener(...args);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
