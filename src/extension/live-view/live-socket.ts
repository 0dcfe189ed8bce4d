import type WebSocket from 'ws';
import type { FromViewer, ToViewer } from '../../contract/live-view.ts';
import { liveCloseCodes } from '../../contract/live-view-wire.ts';

const handshakeTimeoutMs = 5_000;
const messageLimit = 32 * 1024 * 1024;

export interface LiveSocketEvents {
  onMessage(message: ToViewer): void;
  onFrame(bytes: ArrayBuffer): void;
  /** It was closed from over there, once; `ended` when the session is over. */
  onClosed(ended: boolean): void;
}

/** A viewer's WebSocket to the embedded service, held where there is always a network: in the extension host. */
export class LiveSocket {
  #socket: WebSocket;
  #closed = false;

  private constructor(socket: WebSocket, events: LiveSocketEvents) {
    this.#socket = socket;
    socket.on('message', (data, isBinary) => {
      if (this.#closed) return;
      if (isBinary) events.onFrame(data as ArrayBuffer);
      else events.onMessage(JSON.parse(String(Buffer.from(data as ArrayBuffer))) as ToViewer);
    });
    socket.on('close', (code) => {
      if (this.#closed) return;
      this.#closed = true;
      events.onClosed(code === liveCloseCodes.ended);
    });
  }

  /** Opens the socket of a live view's address; events come from `listen()` on. Rejects with a sentence that says why it was refused, never with the address. */
  static async open(address: URL, events: LiveSocketEvents): Promise<LiveSocket> {
    const { WebSocket } = await import('ws');
    const url = new URL(address);
    url.protocol = 'ws:';
    const socket = new WebSocket(url, {
      handshakeTimeout: handshakeTimeoutMs,
      perMessageDeflate: false,
      maxPayload: messageLimit,
      followRedirects: false,
    });
    socket.binaryType = 'arraybuffer';
    const live = new LiveSocket(socket, events);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => {
        // Nothing is heard before somebody listens: the first message may be there already.
        socket.pause();
        resolve();
      });
      socket.once('unexpected-response', (_request, response) => {
        live.close();
        const gone = response.statusCode === 410 || response.statusCode === 404;
        reject(new Error(gone ? 'The session has ended.' : `The service answered with status ${response.statusCode}.`));
      });
      // Without a listener an error would end the extension host; once open, what it means is told by 'close'.
      socket.on('error', () => {
        live.close();
        reject(new Error('The service cannot be reached.'));
      });
    });
    return live;
  }

  listen(): void {
    this.#socket.resume();
  }

  send(message: FromViewer): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  close(): void {
    this.#closed = true;
    this.#socket.resume();
    this.#socket.close(1000);
  }
}
