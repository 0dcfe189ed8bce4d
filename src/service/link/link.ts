import { WebSocketServer } from 'ws';
import { type FromService, type FromWindow, fromWindow } from '../../contract/embedded.ts';
import type { Clock } from '../clock.ts';
import type { LinkHandler } from '../http/http.ts';
import type { Caller } from '../http/keys.ts';
import type { Log } from '../log.ts';

/** The links of the windows that use this service. */
export interface Links {
  onLink: LinkHandler;
  /** Tells every window of a team. */
  send(team: string, message: FromService): void;
  /** Tells every window. */
  sendAll(message: FromService): void;
  /** Where the windows' VS Codes forward this service: `host` or `host:port`. */
  authorities(): string[];
  close(): void;
}

export interface LinksOptions {
  version: string;
  clock: Clock;
  log: Log;
  /** Called when the last link has been gone for `lingerMs`, or none came within `firstLinkMs`; left out, the service lives on. */
  onAbandoned?: () => void;
  /** A window said something of language models, or is gone and with it what it offered. */
  onModelMessage?: (from: WindowLink, message: ModelMessage) => void;
  onLinkGone?: (from: WindowLink) => void;
  /** A window of a team gave what its deliveries are signed with; null: it has nothing to give. */
  onWebhookSecret?: (team: string, secret: string | null) => void;
  lingerMs?: number;
  firstLinkMs?: number;
  pingMs?: number;
}

/** A window, as those who talk with it know it. */
export interface WindowLink {
  readonly caller: Caller;
  send(message: FromService): void;
}

export type ModelMessage = Extract<
  FromWindow,
  { type: 'model-endpoint' | 'window-model' | 'model-answer' | 'model-error' }
>;

interface Link extends WindowLink {
  alive: boolean;
  authority?: string;
  ping(): void;
  terminate(): void;
}

const maxMessage = 16 * 1024 * 1024;

export function createLinks(options: LinksOptions): Links {
  const { clock, log, lingerMs = 10_000, firstLinkMs = 60_000, pingMs = 10_000 } = options;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessage, perMessageDeflate: false });
  const links = new Set<Link>();
  let cancelAbandon = () => {};
  let cancelPing = clock.after(pingMs, ping);
  abandonAfter(firstLinkMs);

  function abandonAfter(ms: number): void {
    cancelAbandon();
    if (options.onAbandoned) cancelAbandon = clock.after(ms, options.onAbandoned);
  }

  /** A window that vanished without a word, as a laptop that slept does, is found by its silence. */
  function ping(): void {
    for (const link of links) {
      if (!link.alive) link.terminate();
      link.alive = false;
      link.ping();
    }
    cancelPing = clock.after(pingMs, ping);
  }

  function heard(link: Link, message: FromWindow): void {
    if (message.type === 'webhook-secret') return options.onWebhookSecret?.(link.caller.team, message.secret);
    if (message.type === 'outside-authority') {
      link.authority = message.authority;
      return;
    }
    if (message.type !== 'hello') return options.onModelMessage?.(link, message);
    log.info({ window: message.window }, 'a window linked itself');
    link.send({ type: 'welcome', version: options.version, pid: process.pid });
  }

  return {
    onLink: (request, socket, head, caller) => {
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        const link: Link = {
          caller,
          alive: true,
          send: (message) => webSocket.send(JSON.stringify(message)),
          ping: () => webSocket.ping(),
          terminate: () => webSocket.terminate(),
        };
        links.add(link);
        cancelAbandon();
        webSocket.on('pong', () => {
          link.alive = true;
        });
        webSocket.on('message', (data) => {
          const message = parse(String(data));
          if (!message) return log.warn('a window sent something over its link that this version does not know');
          heard(link, message);
        });
        webSocket.on('error', () => webSocket.terminate());
        webSocket.on('close', () => {
          links.delete(link);
          options.onLinkGone?.(link);
          if (links.size === 0) abandonAfter(lingerMs);
        });
      });
    },
    send: (team, message) => {
      for (const link of links) if (link.caller.team === team) link.send(message);
    },
    sendAll: (message) => {
      for (const link of links) link.send(message);
    },
    authorities: () => [...links].flatMap(({ authority }) => authority ?? []),
    close: () => {
      cancelPing();
      cancelAbandon();
      for (const link of links) link.terminate();
      sockets.close();
    },
  };
}

function parse(text: string) {
  try {
    return fromWindow.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
