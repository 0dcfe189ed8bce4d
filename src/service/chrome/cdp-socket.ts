import { type WebSocket, WebSocketServer } from 'ws';
import type { UpgradeHandler } from '../http/capabilities.ts';
import { refuseUpgrade } from '../http/guards.ts';
import type { CdpMessage } from './messages.ts';
import type { Relay, RelayClient } from './relay/relay.ts';

/** Maximum size of one CDP message from a client, in bytes. */
const maxMessageBytes = 100 * 1024 * 1024;
/** Unread bytes after which a slow client is disconnected. */
const maxUnreadBytes = 256 * 1024 * 1024;
/** WebSocket close codes: the session ended, the client reads too slowly, the message isn't valid CDP. */
const closeCodes = { ended: 4410, slow: 1013, malformed: 1007 } as const;

export interface CdpSocketOptions {
  relay: Relay;
  /** A client asked the browser to close. */
  onBrowserClose(): void;
  /** A client sent a command. */
  onCommand?(): void;
}

const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false });

/** Serves a browser's CDP over WebSockets, each with its own CDP session tree. */
export function cdpSocket(options: CdpSocketOptions): UpgradeHandler {
  return (request, socket, head) => {
    // Web pages never connect here, not even this service's own.
    if (request.headers.origin !== undefined) {
      return refuseUpgrade(socket, { status: 403, error: 'Connections from web pages are blocked.' });
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => serve(webSocket, options));
  };
}

function serve(socket: WebSocket, { relay, onBrowserClose, onCommand }: CdpSocketOptions): void {
  /** Messages that arrive before the relay has attached this client. */
  const early: CdpMessage[] = [];
  let client: RelayClient | undefined;

  socket.on('message', (data) => {
    const message = parse(String(data));
    if (!message) return socket.close(closeCodes.malformed, 'Expected CDP messages: JSON objects.');
    if (client) client.receive(message);
    else early.push(message);
  });
  socket.on('error', () => socket.terminate());
  socket.on('close', () => client?.close());

  relay
    .connect({
      deliver: (text) => {
        if (socket.bufferedAmount > maxUnreadBytes) socket.close(closeCodes.slow, 'The client reads too slowly.');
        else socket.send(text);
      },
      onDisconnect: () => socket.close(closeCodes.ended, 'The session has ended.'),
      onBrowserClose,
      ...(onCommand && { onCommand }),
    })
    .then((connected) => {
      client = connected;
      if (socket.readyState !== socket.OPEN) return client.close();
      for (const message of early.splice(0)) client.receive(message);
    })
    .catch(() => socket.close(closeCodes.ended, 'The session has ended.'));
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
