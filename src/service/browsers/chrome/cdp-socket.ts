import { isUtf8 } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { UpgradeHandler } from '../../platform/http/capabilities.ts';
import { refuseUpgrade } from '../../platform/http/guards.ts';
import { acceptSockets, type UnreadBudget, unreadOfService } from '../../platform/http/unread-sockets.ts';
import { connectBidi, isBidi } from './bidi/bidi.ts';
import { divideFrames } from './frames.ts';
import { type ReadCommand, readLargeCommand } from './large-command.ts';
import { type CdpMessage, type CdpText, largeMessage } from './messages.ts';
import type { Relay, RelayClient } from './relay/relay.ts';

/** Maximum size of one CDP message from a client, in bytes. */
const maxMessageBytes = 100 * 1024 * 1024;
/** Commands of a client that wait to be sent: how many, and their bytes unless it is only one. */
const maxWaiting = 10_000;
const maxWaitingBytes = 32 * 1024 * 1024;
/** How long to wait before it is looked again whether a browser has taken the commands that it was sent, in milliseconds. */
const backlogMs = 20;
/** WebSocket close codes: the session ended, the message isn't valid CDP. */
const closeCodes = { ended: 4410, malformed: 1007 } as const;

export interface CdpSocketOptions {
  relay: Relay;
  /** Whose clients they are. */
  team(): string;
  /** A client asked the browser to close. */
  onBrowserClose(): void;
  /** A client sent a command. */
  onCommand?(): void;
  /** Whether the clients leave the dialogs of pages to others that drive them. */
  isIdle?(): boolean;
  /** Stops the commands of clients for a while. */
  hold?: Hold;
  /** The service's budget for unread messages by default. */
  unread?: UnreadBudget;
}

/** Keeps back the commands of clients while it is set. */
export type Hold = ReturnType<typeof createHold>;

export function createHold() {
  const releases = new Set<() => void>();
  let held = false;
  return {
    get held(): boolean {
      return held;
    },
    set(to: boolean): void {
      if (held === to) return;
      held = to;
      if (!held) for (const release of [...releases]) release();
    },
    /** Calls `release` whenever commands may continue. Returns a function that stops this. */
    onRelease(release: () => void): () => void {
      releases.add(release);
      return () => releases.delete(release);
    },
  };
}

const sockets = acceptSockets(maxMessageBytes);

/** Serves a browser's CDP, or WebDriver BiDi, over WebSockets, each with its own CDP session tree. */
export function cdpSocket(options: CdpSocketOptions): UpgradeHandler {
  return (request, socket, head) => {
    // Web pages never connect here, not even this service's own.
    if (request.headers.origin !== undefined) {
      return refuseUpgrade(socket, { status: 403, error: 'Connections from web pages are blocked.' });
    }
    const arrived = divideFrames(socket, head, maxMessageBytes);
    sockets.handleUpgrade(request, socket, arrived, (webSocket) => serve(webSocket, options));
  };
}

function serve(
  socket: WebSocket,
  { relay, team, onBrowserClose, onCommand, isIdle, hold, unread = unreadOfService }: CdpSocketOptions,
): void {
  unread.add(socket, team());
  socket.binaryType = 'fragments';
  /** Messages that have arrived behind a large one. */
  const arrived: Buffer[][] = [];
  let isReading = false;
  /** Messages that arrive before the relay has attached this client, or while commands are held. */
  const waiting: { message: CdpMessage; bytes: number }[] = [];
  let waitingBytes = 0;
  let isFirst = true;
  let client: RelayClient | undefined;
  let opening: Promise<RelayClient> | undefined;

  const options = {
    deliver: (text: CdpText) => {
      if (!unread.admits(socket, typeof text === 'string' ? text.length : bytesOf(text))) return;
      if (typeof text === 'string') socket.send(text);
      else for (const piece of text) socket.send(piece, { binary: false, fin: piece === text.at(-1) });
    },
    onDisconnect: () => socket.close(closeCodes.ended, 'The session has ended.'),
    onEnd: () => socket.close(),
    onBrowserClose,
    ...(onCommand && { onCommand }),
    ...(isIdle && { isIdle }),
  };

  socket.on('message', (data) => {
    arrived.push(data as Buffer[]);
    if (!isReading) void read();
  });
  const stopWaiting = hold?.onRelease(pass);
  socket.on('error', () => socket.terminate());
  socket.on('close', () => {
    unread.remove(socket);
    stopWaiting?.();
    client?.close();
  });
  open(relay.connect(options));

  /** Reads what has arrived, in its order. Nothing more arrives while a large message is read, or the browser takes no commands. */
  async function read(): Promise<void> {
    isReading = true;
    try {
      for (let next = arrived.shift(); next; next = arrived.shift()) {
        const bytes = bytesOf(next);
        if (bytes > largeMessage) socket.pause();
        accept(bytes > largeMessage ? await readLargeCommand(next) : parse(next), bytes);
        while (relay.backlog() > maxWaitingBytes && socket.readyState === socket.OPEN) {
          socket.pause();
          await sleep(backlogMs);
        }
        if (socket.isPaused) socket.resume();
      }
    } finally {
      isReading = false;
    }
  }

  function accept(command: ReadCommand | undefined, bytes: number): void {
    if (!command) return socket.close(closeCodes.malformed, 'Expected CDP messages: JSON objects.');
    const { message, problem } = command;
    // The first message tells which of the two protocols the client speaks.
    if (isFirst && isBidi(message)) open(connectBidi(relay, options));
    isFirst = false;
    if (problem !== undefined) return refuse(message, problem);
    const isFull = waiting.length >= maxWaiting || (waiting.length > 0 && waitingBytes + bytes > maxWaitingBytes);
    if (isFull) {
      const why = client ? 'a person has paused what runs in this browser' : "the browser hasn't attached this client";
      return refuse(
        message,
        `The command wasn't sent: ${why}, and at most ${maxWaiting} commands, or ${maxWaitingBytes / 1024 / 1024} MiB of them, wait until that is over.`,
      );
    }
    waiting.push({ message, bytes });
    waitingBytes += bytes;
    pass();
  }

  function refuse(message: CdpMessage, problem: string): void {
    const { id, sessionId } = message;
    const answer = isBidi(message)
      ? { type: 'error', id, error: 'unknown error', message: problem }
      : { id, error: { code: -32000, message: problem }, sessionId };
    options.deliver(JSON.stringify(answer));
  }

  function pass(): void {
    if (!client || hold?.held) return;
    waitingBytes = 0;
    for (const { message } of waiting.splice(0)) client.receive(message);
  }

  /** Attaches the client, in place of an earlier attachment. */
  function open(attaching: Promise<RelayClient>): void {
    client?.close();
    client = undefined;
    opening = attaching;
    attaching
      .then((connected) => {
        if (opening !== attaching || socket.readyState !== socket.OPEN) return connected.close();
        client = connected;
        pass();
      })
      .catch(() => socket.close(closeCodes.ended, 'The session has ended.'));
  }
}

function parse(pieces: Buffer[]): ReadCommand | undefined {
  const [first, ...others] = pieces;
  const bytes = first && others.length === 0 ? first : Buffer.concat(pieces);
  if (!isUtf8(bytes)) return undefined;
  try {
    const message: unknown = JSON.parse(String(bytes));
    return typeof message === 'object' && message !== null && !Array.isArray(message)
      ? { message: message as CdpMessage }
      : undefined;
  } catch {
    return undefined;
  }
}

function bytesOf(pieces: readonly Buffer[]): number {
  let sum = 0;
  for (const { length } of pieces) sum += length;
  return sum;
}
