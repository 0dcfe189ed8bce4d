import { type WebSocket, WebSocketServer } from 'ws';
import type { UpgradeHandler } from '../http/capabilities.ts';
import { refuseUpgrade } from '../http/guards.ts';
import type { CdpMessage } from './messages.ts';
import type { Relay, RelayClient } from './relay.ts';

/** Bytes of one CDP message that a client may send. */
const maxMessage = 100 * 1024 * 1024;
/** Bytes that may wait for a client that does not read before it is let go. */
const maxUnread = 256 * 1024 * 1024;
/** Close codes: the session ended; the client reads too slowly; what it sent is no CDP. */
const closed = { ended: 4410, slow: 1013, malformed: 1007 } as const;

export interface CdpSocketOptions {
  relay: Relay;
  /** A client asked the browser to close. */
  onBrowserClose(): void;
  /** A client sent a command. */
  onCommand?(): void;
}

const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessage, perMessageDeflate: false });

/** Serves a browser's CDP over WebSockets, each with a session tree of its own. */
export function cdpSocket(options: CdpSocketOptions): UpgradeHandler {
  return (request, socket, head) => {
    // No page has business on this URL, not even one of this service.
    if (request.headers.origin !== undefined) {
      return refuseUpgrade(socket, { status: 403, error: 'Pages may not use this URL.' });
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => serve(webSocket, options));
  };
}

function serve(socket: WebSocket, { relay, onBrowserClose, onCommand }: CdpSocketOptions): void {
  /** What arrives before the browser has given a session waits for it. */
  const early: CdpMessage[] = [];
  let client: RelayClient | undefined;

  socket.on('message', (data) => {
    const message = parse(String(data));
    if (!message) return socket.close(closed.malformed, 'Expected CDP messages: JSON objects.');
    if (client) client.receive(message);
    else early.push(message);
  });
  socket.on('error', () => socket.terminate());
  socket.on('close', () => client?.close());

  relay
    .connect({
      deliver: (text) => {
        if (socket.bufferedAmount > maxUnread) socket.close(closed.slow, 'This client reads too slowly.');
        else socket.send(text);
      },
      onDisconnect: () => socket.close(closed.ended, 'The session has ended.'),
      onBrowserClose,
      ...(onCommand && { onCommand }),
    })
    .then((connected) => {
      client = connected;
      if (socket.readyState !== socket.OPEN) return client.close();
      for (const message of early.splice(0)) client.receive(message);
    })
    .catch(() => socket.close(closed.ended, 'The session has ended.'));
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
