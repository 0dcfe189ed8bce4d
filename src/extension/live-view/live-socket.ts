import * as l10n from '@vscode/l10n';
import type WebSocket from 'ws';
import { JsonSize } from '../../client/json-size.ts';
import { jsonIn } from '../../contract/lenient-texts.ts';
import { type FromViewer, type ToViewer, toViewer } from '../../contract/sessions/live-view.ts';
import { liveCloseCodes, liveProtocol } from '../../contract/sessions/live-view-wire.ts';

const handshakeTimeoutMs = 5_000;
const maxMessageBytes = 32 * 1024 * 1024;
/** Values of a message that is JSON: reading one takes time for each. */
const maxValues = 50_000;
/** Bytes that may wait until VS Code has taken them, before the socket is read on, and what each message takes besides its own. */
const [maxWaiting, messageBytes] = [32 * 1024 * 1024, 1024];

export interface LiveSocketEvents {
  /** Both return what ends when VS Code has taken what the view is sent. */
  onMessage(message: ToViewer): PromiseLike<unknown> | undefined;
  onFrame(bytes: ArrayBuffer): PromiseLike<unknown> | undefined;
  /** The socket closed without a call of `close()`; `ended` if the session has ended. Called at most once. */
  onClosed(ended: boolean): void;
}

/** The reason of a socket that a service refuses because the session has ended. */
export class SessionEnded extends Error {
  constructor() {
    super(l10n.t('The session has ended.'));
  }
}

/** A viewer's WebSocket to a service. It is opened in the extension host, which can always reach the service. */
export class LiveSocket {
  #socket: WebSocket;
  #closed = false;
  #waiting = 0;

  private constructor(socket: WebSocket, events: LiveSocketEvents) {
    this.#socket = socket;
    socket.on('message', (data, isBinary) => {
      if (this.#closed) return;
      const bytes = data as ArrayBuffer;
      if (isBinary) this.#waitFor(bytes, events.onFrame(bytes));
      else {
        const size = new JsonSize();
        size.add(new Uint8Array(bytes));
        const message =
          size.values > maxValues ? undefined : toViewer.safeParse(jsonIn(String(Buffer.from(bytes)))).data;
        if (message) this.#waitFor(bytes, events.onMessage(message));
      }
    });
    socket.on('close', (code) => {
      if (this.#closed) return;
      this.#closed = true;
      events.onClosed(code === liveCloseCodes.ended);
    });
  }

  /** Opens the socket of a live view's URL; events start with `listen()`. Rejects with a message that says why, without the URL; a server that doesn't know the protocol is such a reason. */
  static async open(address: URL, events: LiveSocketEvents): Promise<LiveSocket> {
    const { WebSocket } = await import('ws');
    const url = new URL(address);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url, [liveProtocol], {
      handshakeTimeout: handshakeTimeoutMs,
      perMessageDeflate: false,
      // Each message has a turn of its own, however many arrive together.
      allowSynchronousEvents: false,
      maxPayload: maxMessageBytes,
      followRedirects: false,
    });
    socket.binaryType = 'arraybuffer';
    const live = new LiveSocket(socket, events);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => {
        // The first message may be here already: it waits for `listen()`.
        socket.pause();
        resolve();
      });
      socket.once('unexpected-response', (_request, response) => {
        live.close();
        if (response.statusCode === 410) return reject(new SessionEnded());
        // A server without such sockets answers so too.
        if (response.statusCode === 404) return reject(new Error(l10n.t('The session has ended.')));
        reject(new Error(l10n.t('The service responded with status {0}.', String(response.statusCode))));
      });
      // Without a listener an error would crash the extension host. Once the socket is open, 'close' reports what happened.
      socket.on('error', () => {
        live.close();
        reject(new Error(l10n.t("Can't reach the service.")));
      });
    });
    return live;
  }

  listen(): void {
    this.#socket.resume();
  }

  /** Reads no more while too much waits for VS Code, which may be slower than a server sends. */
  #waitFor({ byteLength }: ArrayBuffer, delivered: PromiseLike<unknown> | undefined): void {
    if (!delivered) return;
    const taken = byteLength + messageBytes;
    this.#waiting += taken;
    if (this.#waiting > maxWaiting) this.#socket.pause();
    const done = () => {
      this.#waiting -= taken;
      if (this.#waiting <= maxWaiting) this.#socket.resume();
    };
    delivered.then(done, done);
  }

  send(message: FromViewer): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Resolves when the bytes have left, or can't be sent. */
  async sendBytes(bytes: Uint8Array): Promise<void> {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    await new Promise<void>((resolve) => this.#socket.send(bytes, () => resolve()));
  }

  close(): void {
    this.#closed = true;
    // One that was refused has nothing to resume.
    if (this.#socket.isPaused) this.#socket.resume();
    this.#socket.close(1000);
  }
}
