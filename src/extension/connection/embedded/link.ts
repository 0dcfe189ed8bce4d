import * as l10n from '@vscode/l10n';
import type WebSocket from 'ws';
import { type FromService, type FromWindow, fromService, linkPath } from '../../../contract/embedded.ts';
import { jsonIn } from '../../../contract/lenient-texts.ts';
import { loopbackAgent } from '../../../discovery/discovery.ts';
import { Signal } from '../../ui/lifecycle.ts';

const handshakeTimeoutMs = 5_000;
const messageLimit = 16 * 1024 * 1024;

/** A window's link to the embedded service. While it is open, the service keeps running and sends its events. */
export class ServiceLink {
  readonly onMessage = new Signal<FromService>();
  /** Fires once when the link is lost other than by `close()`. `reason` is set if the service said goodbye. */
  readonly onLost = new Signal<{ reason: string | undefined }>();
  readonly pid: number;
  #socket: WebSocket;
  #closed = false;

  private constructor(socket: WebSocket, welcome: Extract<FromService, { type: 'welcome' }>) {
    this.#socket = socket;
    this.pid = welcome.pid;
    socket.on('message', (data) => {
      const message = fromService.safeParse(jsonIn(String(data))).data;
      if (message) this.onMessage.fire(message);
    });
    socket.on('close', () => this.#lost(undefined));
  }

  /** Opens the link and waits until the service has welcomed this window. */
  static async open(options: {
    port: number;
    apiKey: string | undefined;
    window: string;
    /** Version of this extension: an older service stops for it when it is idle. */
    version?: string;
  }): Promise<ServiceLink> {
    const { WebSocket } = await import('ws');
    const socket = new WebSocket(`ws://127.0.0.1:${options.port}${linkPath}`, {
      headers: options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {},
      agent: loopbackAgent,
      handshakeTimeout: handshakeTimeoutMs,
      perMessageDeflate: false,
      maxPayload: messageLimit,
      followRedirects: false,
      // What arrives together with the welcome waits until somebody listens.
      allowSynchronousEvents: false,
    });
    // Without a listener, an error would crash the extension host. 'close' handles it.
    socket.on('error', () => {});
    const welcome = await firstWelcome(socket);
    return new ServiceLink(socket, welcome);

    function firstWelcome(from: WebSocket): Promise<Extract<FromService, { type: 'welcome' }>> {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => fail('no welcome in time'), handshakeTimeoutMs);
        const fail = (why: string) => {
          clearTimeout(timer);
          from.removeAllListeners('message');
          from.terminate();
          reject(new Error(l10n.t("Couldn't connect to the embedded service: {0}.", why)));
        };
        from.once('open', () =>
          from.send(write({ type: 'hello', window: options.window, version: options.version, ...startedBy() })),
        );
        from.once('unexpected-response', (_request, response) => fail(`status ${response.statusCode}`));
        from.once('error', (error) => fail(error.message));
        from.once('close', () => fail('it closed the connection'));
        from.once('message', (data) => {
          const message = fromService.safeParse(jsonIn(String(data))).data;
          if (message?.type !== 'welcome') return fail("its first message isn't a welcome");
          clearTimeout(timer);
          from.removeAllListeners('close');
          resolve(message);
        });
      });
    }
  }

  send(message: FromWindow): void {
    this.#socket.send(write(message));
  }

  /** Closes the link after the service said goodbye; it accepts no more calls. */
  end(reason: string): void {
    this.#lost(reason);
    this.#socket.close(1000);
  }

  #lost(reason: string | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onLost.fire({ reason });
  }

  /** Closes the link without firing `onLost`. */
  close(): void {
    this.#closed = true;
    this.#socket.close(1000);
  }
}

/** The process that started this extension host. It remains while the window reloads. */
function startedBy(): { host?: number } {
  return process.ppid > 1 ? { host: process.ppid } : {};
}

function write(message: FromWindow): string {
  return JSON.stringify(message);
}
