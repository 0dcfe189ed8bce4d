import { resolve } from 'node:path';
import { type FromService, type FromWindow, fromWindow } from '../../../contract/embedded.ts';
import { jsonIn } from '../../../contract/lenient-texts.ts';
import type { LinkHandler } from '../http/http.ts';
import type { Caller } from '../http/keys.ts';
import { acceptSockets, type UnreadBudget, unreadOfService } from '../http/unread-sockets.ts';
import type { Base } from '../platform.ts';
import { readLargeJson } from '../read-large-json.ts';

/** The links to the windows that use this service. */
export type Links = ReturnType<typeof createLinks>;

export interface LinksOptions extends Pick<Base, 'clock' | 'log'> {
  version: string;
  /** Called `lingerMs` after the last link closes, or later while its window may be reloading, or if no link opens within `firstLinkMs`. Without it, the service keeps running. */
  onAbandoned?: () => void;
  /** Called with each message about language models. */
  onModelMessage?: (from: WindowLink, message: ModelMessage) => void;
  /** Called when a window has said hello, with the version of its extension. */
  onHello?: (from: WindowLink, version: string) => void;
  /** Called when a window asks the service to stop. Without it, that is refused. */
  onStop?: (from: WindowLink) => void;
  /** Called when a session may be needed soon, such as when a window opens. */
  onWarm?: () => void;
  /** Called with the search engine in a window's settings; null if it has none. */
  onSearchEndpoint?: (from: WindowLink, endpoint: string | null) => void;
  /** Called when a link closes. */
  onLinkGone?: (from: WindowLink) => void;
  /** Called when a link closes that was the last. */
  onLastLinkGone?: () => void;
  /** Called with the secret that signs a team's webhook deliveries; null if the window has none. */
  onWebhookSecret?: (team: string, secret: string | null) => void;
  lingerMs?: number;
  /** The service's budget for unread messages by default. */
  unread?: UnreadBudget;
  /** Whether a process runs. */
  isRunning?: (pid: number) => boolean;
}

/** A link to a window, for sending it messages. */
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
  /** Whether the window has said hello: it expects nothing before its welcome. */
  welcomed: boolean;
  /** Whether a message that isn't supported has been logged. */
  reported: boolean;
  authority?: string;
  /** The process that starts the window's extension host. */
  host?: number;
  /** Folders that the window's user chose. */
  readonly folders: Set<string>;
  /** Sends JSON, unless too much waits to be read. */
  pass(json: Buffer): void;
  ping(): void;
  terminate(): void;
}

/** Instead of `lingerMs`, while the process that started the last window runs: the window may be reloading. */
const reloadMs = 90_000;
const firstLinkMs = 60_000;
const pingMs = 10_000;
/** Of a message of a window: more than any answer of a language model has. */
const maxMessageBytes = 1024 * 1024;
/** Bytes of a message that are read at once; larger ones are read in short turns. */
const atOnceBytes = 64 * 1024;
const maxFolders = 1000;
/** How long a request waits for the permission of a window, in milliseconds. */
const grantMs = 1000;
/** How often to check whether the process that started a window runs. */
const hostCheckMs = 1000;

export function createLinks(options: LinksOptions) {
  const { clock, log, lingerMs = 10_000, isRunning = processRuns, unread = unreadOfService } = options;
  const sockets = acceptSockets(maxMessageBytes);
  const links = new Set<Link>();
  /** Called whenever a window has given a permission. */
  const awaiting = new Set<() => void>();
  let cancelAbandon = () => {};
  let cancelPing = clock.after(pingMs, ping);
  scheduleAbandon(firstLinkMs);

  function scheduleAbandon(ms: number): void {
    cancelAbandon();
    if (options.onAbandoned) cancelAbandon = clock.after(ms, options.onAbandoned);
  }

  /**
   * Waits for a window after the last one has left. A window that reloads on a loaded machine needs long to come back; what
   * started it still runs then, and ends soon when VS Code is closed.
   */
  function linger(host: number | undefined, leftMs = reloadMs - lingerMs): void {
    cancelAbandon();
    if (!options.onAbandoned) return;
    if (host === undefined || leftMs <= 0 || !isRunning(host)) return scheduleAbandon(lingerMs);
    cancelAbandon = clock.after(Math.min(hostCheckMs, leftMs), () => linger(host, leftMs - hostCheckMs));
  }

  /** Terminates links that don't respond, such as those of a suspended laptop, and pings the others. */
  function ping(): void {
    for (const link of links) {
      if (!link.alive) link.terminate();
      link.alive = false;
      link.ping();
    }
    cancelPing = clock.after(pingMs, ping);
  }

  function receive(link: Link, message: FromWindow): void {
    if (message.type === 'webhook-secret') return options.onWebhookSecret?.(link.caller.team, message.secret);
    if (message.type === 'search-endpoint') return options.onSearchEndpoint?.(link, message.endpoint);
    if (message.type === 'warm') return options.onWarm?.();
    if (message.type === 'outside-authority') {
      link.authority = message.authority;
      return;
    }
    if (message.type === 'docs-folder') {
      if (link.folders.size < maxFolders) link.folders.add(resolve(message.folder));
      for (const check of [...awaiting]) check();
      return;
    }
    if (message.type === 'stop') {
      if (options.onStop) return options.onStop(link);
      return report(link, 'a window asked to stop this service, which was not started by a window');
    }
    if (message.type !== 'hello') return options.onModelMessage?.(link, message);
    if (message.host !== undefined) link.host = message.host;
    if (!link.welcomed) log.info({ window: message.window, version: message.version }, 'a window connected');
    link.welcomed = true;
    link.send({ type: 'welcome', version: options.version, pid: process.pid });
    options.onHello?.(link, message.version ?? '');
    options.onWarm?.();
  }

  /** Logs what is wrong with a link once, however often it happens. */
  function report(link: Link, what: string): void {
    if (!link.reported) log.warn(what);
    link.reported = true;
  }

  function sendTo(receivers: Iterable<Link>, message: FromService): void {
    const json = Buffer.from(JSON.stringify(message));
    for (const link of receivers) if (link.welcomed) link.pass(json);
  }

  return {
    onLink: ((request, socket, head, caller) => {
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        const link: Link = {
          caller,
          alive: true,
          welcomed: false,
          reported: false,
          folders: new Set(),
          send: (message) => link.pass(Buffer.from(JSON.stringify(message))),
          pass: (json) => {
            if (unread.admits(webSocket, json.length)) webSocket.send(json, { binary: false });
          },
          ping: () => webSocket.ping(),
          terminate: () => webSocket.terminate(),
        };
        links.add(link);
        unread.add(webSocket, caller.team);
        cancelAbandon();
        webSocket.on('pong', () => {
          link.alive = true;
        });
        /** The last of the messages that are read later: large ones, and those behind them. */
        let before: Promise<void> | undefined;
        const take = (json: unknown) => {
          const message = fromWindow.safeParse(json).data;
          if (!links.has(link)) return;
          if (!message) return report(link, 'received a link message that this version does not support');
          receive(link, message);
        };
        const readInTurns = async (data: Buffer, earlier = before) => {
          webSocket.pause();
          await earlier?.catch(() => undefined);
          take(await readLargeJson([data]).catch(() => undefined));
        };
        webSocket.on('message', (data: Buffer) => {
          if (!before && data.length <= atOnceBytes) return take(jsonIn(String(data)));
          const done = readInTurns(data).finally(() => {
            if (before !== done) return;
            before = undefined;
            webSocket.resume();
          });
          before = done;
        });
        webSocket.on('error', () => webSocket.terminate());
        webSocket.on('close', () => {
          links.delete(link);
          unread.remove(webSocket);
          options.onLinkGone?.(link);
          if (links.size > 0) return;
          options.onLastLinkGone?.();
          linger(link.host);
        });
      });
    }) as LinkHandler,
    /** Sends a message to every window of a team. */
    send(team: string, message: FromService): void {
      sendTo(
        [...links].filter(({ caller }) => caller.team === team),
        message,
      );
    },
    /** Sends a message to every window. */
    sendAll: (message: FromService): void => sendTo(links, message),
    /** Returns `host` or `host:port` of every forwarded port that windows have for this service. */
    authorities: (): string[] => [...links].flatMap(({ authority }) => authority ?? []),
    /** Whether a window of the team lets the service read a folder. Its permission may arrive just after the request that needs it. */
    async isGranted(team: string, folder: string): Promise<boolean> {
      const isGranted = () => [...links].some(({ caller, folders }) => caller.team === team && folders.has(folder));
      const { promise, resolve: settle } = Promise.withResolvers<boolean>();
      const check = () => {
        if (isGranted()) settle(true);
      };
      const timer = setTimeout(() => settle(isGranted()), grantMs);
      awaiting.add(check);
      check();
      return await promise.finally(() => {
        clearTimeout(timer);
        awaiting.delete(check);
      });
    },
    close(): void {
      cancelPing();
      cancelAbandon();
      for (const link of links) link.terminate();
      sockets.close();
    },
  };
}

function processRuns(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It may belong to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
