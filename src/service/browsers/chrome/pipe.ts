import type { Readable, Writable } from 'node:stream';
import { BrowserFault, countFaults } from '../../platform/faults.ts';
import { type CdpMessage, type CdpText, edgeBytes, lostMessage, readMessage, textOf } from './messages.ts';

/** A CDP connection to a browser. */
export interface CdpPipe {
  send(message: CdpMessage): void;
  /** Adds a listener for every message and its JSON text; returns a function that removes it. */
  onMessage(listener: (message: CdpMessage, text: CdpText) => void): () => void;
  /** Calls back once when the connection closes, or at once if it is closed; returns a function that removes the listener. */
  onClose(listener: () => void): () => void;
  /** Stops reading from the browser until the function that it returns, and those of other pauses, have been called. */
  pause(): () => void;
  /** Bytes that were sent and that the browser hasn't taken yet. */
  backlog(): number;
  /** Reports an error that a message caused. When they repeat, the browser is taken to be broken. */
  fault(error: unknown): void;
}

/** Maximum size of one message from a browser, in bytes: Playwright and Puppeteer take no larger ones either. */
const largestMessage = 256 * 1024 * 1024;
/** Bytes that are copied at once: larger messages are passed on in pieces of this size. */
const pieceBytes = 8 * 1024 * 1024;

/**
 * Opens a CDP connection over the two ends of `--remote-debugging-pipe`: JSON messages, each followed by a NUL byte.
 * `onBroken` is called with a predicate such as `sent a message that is not JSON`; the connection is closed by then.
 * @param maxMessageBytes of messages that are larger, only the end is read: one page may not end the pages of others
 */
export function openPipe(
  toChrome: Writable,
  fromChrome: Readable,
  onBroken: (how: string) => void,
  maxMessageBytes = largestMessage,
): CdpPipe {
  const messageListeners = new Set<(message: CdpMessage, text: CdpText) => void>();
  const closeListeners = new Set<() => void>();
  /** What has arrived of a message: whole pieces, and the chunks of the next one. */
  let pieces: Buffer[] = [];
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  /** How a message begins that is too large. */
  let lost: Buffer | undefined;
  let closed = false;

  const close = () => {
    if (closed) return;
    closed = true;
    notifyAll(closeListeners, []);
  };
  const fail = (how: string) => {
    pieces = [];
    pending = [];
    fromChrome.destroy();
    toChrome.destroy();
    close();
    onBroken(how);
  };
  const fault = countingFaults(() => closed || fail(invalidMessages));
  const deliver = (last: Buffer) => {
    const rest = pending.length === 0 ? last : Buffer.concat([...pending, last]);
    const parsed = lost ? lostMessage(lost, rest, maxMessageBytes) : readMessage([...pieces, rest]);
    pieces = [];
    pending = [];
    pendingBytes = 0;
    lost = undefined;
    if (!parsed) return fail('sent a message that is not valid CDP');
    if (parsed !== 'event') notifyAll(messageListeners, [parsed.message, parsed.text], fault);
  };

  fromChrome.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1 && !closed; end = chunk.indexOf(0, start)) {
      const last = chunk.subarray(start, end);
      start = end + 1;
      deliver(last);
    }
    if (closed || start === chunk.length) return;
    pending.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > maxMessageBytes) {
      const rest = Buffer.concat(pending);
      lost ??= Buffer.from((pieces[0] ?? rest).subarray(0, edgeBytes));
      pieces = [];
      pending = [Buffer.from(rest.subarray(-edgeBytes))];
    } else if (pendingBytes > (pieces.length + 1) * pieceBytes) pieces.push(Buffer.concat(pending.splice(0)));
  });
  for (const stream of [toChrome, fromChrome]) {
    stream.on('close', close);
    // The close event reports that the other end is gone; a write in progress is lost.
    stream.on('error', close);
  }

  return {
    send: (message) => {
      if (closed) return;
      const text = textOf(message);
      if (typeof text === 'string') toChrome.write(`${text}\0`);
      else for (const piece of [...text, Buffer.of(0)]) toChrome.write(piece);
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
    pause: pausing(fromChrome),
    backlog: () => (closed ? 0 : toChrome.writableLength),
    fault,
  };
}

/** Returns the `pause` of a pipe that reads from a source. */
export function pausing(source: { pause(): unknown; resume(): unknown }): CdpPipe['pause'] {
  let pauses = 0;
  return () => {
    if (pauses++ === 0) source.pause();
    return () => {
      if (--pauses === 0) source.resume();
    };
  };
}

/** What a browser has done whose messages cause error after error. */
export const invalidMessages = 'sent messages that are not valid CDP';

/** Returns the `fault` of a pipe. The errors are thrown as uncaught exceptions, so that they are logged. */
export function countingFaults(onRepeated: () => unknown): CdpPipe['fault'] {
  const count = countFaults(onRepeated);
  return (error) => {
    count();
    throwLater(new BrowserFault('A message of a browser is invalid.', { cause: error }));
  };
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

/** Calls every listener. One that throws doesn't keep the others from the call; by default, its error is thrown as an uncaught exception. */
export function notifyAll<Args extends unknown[]>(
  listeners: Iterable<(...args: Args) => void>,
  args: Args,
  onFault: (error: unknown) => void = throwLater,
): void {
  for (const listener of listeners) {
    try {
      listener(...args);
    } catch (error) {
      onFault(error);
    }
  }
}
