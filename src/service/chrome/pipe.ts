import type { Readable, Writable } from 'node:stream';
import type { CdpMessage } from './messages.ts';

/** A CDP connection over Chrome's debugging pipe: JSON messages, each ended by a NUL byte. */
export interface CdpPipe {
  send(message: CdpMessage): void;
  /** Calls back with every message and its text; gives back a function that ends it. */
  onMessage(listener: (message: CdpMessage, text: string) => void): () => void;
  /** Calls back once, when the connection is gone (at once, if it is gone); gives back a function that ends it. */
  onClose(listener: () => void): () => void;
}

/** Speaks CDP over the two ends of `--remote-debugging-pipe`. */
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
    // The other end going away is told by the close; what was being written then is lost with it.
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
