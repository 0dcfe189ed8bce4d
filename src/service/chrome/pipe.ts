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

/** Opens a CDP connection over the two ends of `--remote-debugging-pipe`: JSON messages, each followed by a NUL byte. */
export function openPipe(toChrome: Writable, fromChrome: Readable): CdpPipe {
  const messageListeners = new Set<(message: CdpMessage, text: string) => void>();
  const closeListeners = new Set<() => void>();
  let pending: Buffer[] = [];
  let closed = false;

  const close = () => {
    if (closed) return;
    closed = true;
    for (const listener of closeListeners) listener();
  };
  const deliver = (bytes: Buffer) => {
    const text = bytes.toString('utf8');
    const message = JSON.parse(text) as CdpMessage;
    for (const listener of messageListeners) listener(message, text);
  };

  fromChrome.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      const piece = chunk.subarray(start, end);
      start = end + 1;
      if (pending.length === 0) deliver(piece);
      else {
        const whole = Buffer.concat([...pending, piece]);
        pending = [];
        deliver(whole);
      }
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
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
