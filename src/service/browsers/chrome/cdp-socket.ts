import { type WebSocket, WebSocketServer } from 'ws';
import type { UpgradeHandler } from '../../platform/http/capabilities.ts';
import { refuseUpgrade } from '../../platform/http/guards.ts';
import { connectBidi, isBidi } from './bidi/bidi.ts';
import type { CdpMessage } from './messages.ts';
import type { Relay, RelayClient } from './relay/relay.ts';

/** Maximum size of one CDP message from a client, in bytes. */
const maxMessageBytes = 100 * 1024 * 1024;
/** Unread bytes after which a slow client is disconnected. */
const maxUnreadBytes = 256 * 1024 * 1024;
/** Unread bytes of all clients together after which the slowest are disconnected. */
const maxUnreadBytesOfAll = 512 * 1024 * 1024;
/** How long a disconnected client has to read the reason, in milliseconds. */
const closeMs = 1000;
/** WebSocket close codes: the session ended, the client reads too slowly, the message isn't valid CDP. */
const closeCodes = { ended: 4410, slow: 1013, malformed: 1007 } as const;

export interface CdpSocketOptions {
  relay: Relay;
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
export interface Hold {
  readonly held: boolean;
  set(held: boolean): void;
  /** Calls `release` whenever commands may continue. Returns a function that stops this. */
  onRelease(release: () => void): () => void;
}

export function createHold(): Hold {
  const releases = new Set<() => void>();
  let held = false;
  return {
    get held() {
      return held;
    },
    set(to) {
      if (held === to) return;
      held = to;
      if (!held) for (const release of [...releases]) release();
    },
    onRelease(release) {
      releases.add(release);
      return () => releases.delete(release);
    },
  };
}

/** Limits the memory of messages that clients don't read. */
export interface UnreadBudget {
  add(socket: WebSocket): void;
  remove(socket: WebSocket): void;
  /** Disconnects slow clients until `bytes` more for `socket` fit. Returns whether `socket` may receive them. */
  admits(socket: WebSocket, bytes: number): boolean;
}

export function createUnreadBudget(each = maxUnreadBytes, all = maxUnreadBytesOfAll): UnreadBudget {
  const sockets = new Set<WebSocket>();

  function disconnect(socket: WebSocket): void {
    sockets.delete(socket);
    socket.close(closeCodes.slow, 'The client reads too slowly.');
    // A client that doesn't read at all doesn't read the reason either.
    setTimeout(() => socket.terminate(), closeMs).unref();
  }

  return {
    add: (socket) => void sockets.add(socket),
    remove: (socket) => void sockets.delete(socket),
    admits(socket, bytes) {
      if (!sockets.has(socket)) return false;
      if (socket.bufferedAmount > each) disconnect(socket);
      // Clients that read everything cost nothing, whatever the others do.
      else if (socket.bufferedAmount > 0) {
        let total = bytes;
        for (const { bufferedAmount } of sockets) total += bufferedAmount;
        for (const slow of [...sockets].sort((one, other) => other.bufferedAmount - one.bufferedAmount)) {
          if (total <= all) break;
          total -= slow.bufferedAmount;
          disconnect(slow);
        }
      }
      return sockets.has(socket);
    },
  };
}

const unreadOfService = createUnreadBudget();

const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false });

/** Serves a browser's CDP, or WebDriver BiDi, over WebSockets, each with its own CDP session tree. */
export function cdpSocket(options: CdpSocketOptions): UpgradeHandler {
  return (request, socket, head) => {
    // Web pages never connect here, not even this service's own.
    if (request.headers.origin !== undefined) {
      return refuseUpgrade(socket, { status: 403, error: 'Connections from web pages are blocked.' });
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => serve(webSocket, options));
  };
}

function serve(
  socket: WebSocket,
  { relay, onBrowserClose, onCommand, isIdle, hold, unread = unreadOfService }: CdpSocketOptions,
): void {
  unread.add(socket);
  /** Messages that arrive before the relay has attached this client, or while commands are held. */
  const early: CdpMessage[] = [];
  let isFirst = true;
  let client: RelayClient | undefined;
  let opening: Promise<RelayClient> | undefined;

  const options = {
    deliver: (text: string) => {
      if (unread.admits(socket, text.length)) socket.send(text);
    },
    onDisconnect: () => socket.close(closeCodes.ended, 'The session has ended.'),
    onEnd: () => socket.close(),
    onBrowserClose,
    ...(onCommand && { onCommand }),
    ...(isIdle && { isIdle }),
  };

  socket.on('message', (data) => {
    const message = parse(String(data));
    if (!message) return socket.close(closeCodes.malformed, 'Expected CDP messages: JSON objects.');
    // The first message tells which of the two protocols the client speaks.
    if (isFirst && isBidi(message)) open(connectBidi(relay, options));
    isFirst = false;
    early.push(message);
    pass();
  });
  const stopWaiting = hold?.onRelease(pass);
  socket.on('error', () => socket.terminate());
  socket.on('close', () => {
    unread.remove(socket);
    stopWaiting?.();
    client?.close();
  });
  open(relay.connect(options));

  function pass(): void {
    if (client && !hold?.held) for (const message of early.splice(0)) client.receive(message);
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

function parse(text: string): CdpMessage | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null && !Array.isArray(message)
      ? (message as CdpMessage)
      : undefined;
  } catch {
    return undefined;
  }
}
