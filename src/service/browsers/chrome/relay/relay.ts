import { ownNames } from '../../../platform/own-names.ts';
import { BrowserGone } from '../cdp-client.ts';
import { maxDepth } from '../command-scan.ts';
import type { CdpMessage, CdpText } from '../messages.ts';
import { type CdpPipe, notifyAll } from '../pipe.ts';
import { ClientDownloads } from './client-downloads.ts';
import { DialogArbiter, type DialogClient } from './dialog-arbiter.ts';
import { attachesPages, Starts } from './starts.ts';
import { ViewportTracker } from './viewport-owners.ts';
import { Worlds } from './worlds.ts';

/** A CDP client of a shared browser, to which the browser appears to be its own. */
export interface RelayClient {
  /** Forwards a message from the client to the browser. */
  receive(message: CdpMessage): void;
  /** Detaches the client from all of its targets. */
  close(): void;
}

export interface RelayClientOptions extends DialogClient {
  /** Receives a message for this client as JSON; `message` is the parsed form, if available. */
  deliver(text: CdpText, message?: CdpMessage): void;
  /** Called when the client asks the browser to close; the relay doesn't forward that command. */
  onBrowserClose(): void;
  /** Called when the browser is gone; nothing more is delivered. */
  onDisconnect(): void;
  /** Called for every command from the client. */
  onCommand?(): void;
  /** Whether it is the service itself, which may send every command. */
  isService?: boolean;
}

/** Lets many CDP clients share one browser's pipe, each with its own CDP session tree. */
export type Relay = ReturnType<typeof createRelay>;

interface Client extends RelayClientOptions {
  root: string;
  /** A closed client gets nothing more. */
  open: boolean;
}

interface Pending {
  client: Client;
  onReply(message: CdpMessage, text: CdpText): void;
}

/** Methods that would crash the browser for its other clients, with the error message for each. */
const blocked: Record<string, string> = ownNames({
  'Browser.crash': 'Crashing the browser is not allowed. Destroy the session instead.',
  'Browser.crashGpuProcess': 'Crashing the browser is not allowed. Destroy the session instead.',
});

const proxyIsFixed =
  'A browser context cannot have a proxy of its own: the service runs with --deny-private-targets, which checks all requests.';

export interface RelayOptions {
  /** Folder for all downloads, whatever folder a client names. */
  downloadPath?: string;
  /** Whether a temporary folder that a client names gets its downloads as well. */
  sharesDownloads?: boolean;
  /** Called when the browser doesn't answer. */
  onUnresponsive?(): void;
  /** Whether all requests have to use the browser's own proxy: its contexts can't have others. */
  boundToProxy?: boolean;
  /** Returns why a client may not send a command; undefined if it may. */
  refuses?(message: CdpMessage): string | undefined;
}

/** How long the browser may take to attach a client, in milliseconds. */
const attachMs = 30_000;

/** Creates a relay that shares `pipe` among clients. */
export function createRelay(pipe: CdpPipe, options: RelayOptions = {}) {
  const { downloadPath, sharesDownloads = true, boundToProxy, refuses, onUnresponsive = () => undefined } = options;
  let nextId = 1;
  /** What replies are for, by the ID sent to the browser. */
  const pending = new Map<number, Pending>();
  /** The client that owns each CDP session. */
  const owners = new Map<string, Client>();
  const clients = new Set<Client>();
  const viewports = new ViewportTracker();
  const dialogs = new DialogArbiter();
  const worlds = new Worlds();
  const starts = new Starts();
  const downloads = downloadPath === undefined ? undefined : new ClientDownloads<Client>(downloadPath, sharesDownloads);
  let closed = false;

  pipe.onMessage((message, text) => {
    if (message.id !== undefined) {
      const asked = pending.get(message.id);
      pending.delete(message.id);
      asked?.onReply(message, text);
      return;
    }
    const { sessionId = '' } = message;
    const owner = owners.get(sessionId);
    if (!owner) return;
    if (!worlds.shows(owner, sessionId, message, text)) return;
    if (message.method === 'Page.javascriptDialogClosed') dialogs.closed(sessionId);
    if (message.method === 'Page.javascriptDialogOpening') {
      if (!dialogs.hears(owner, sessionId, () => owner.deliver(text, message), message.params?.type)) return;
    } else if (message.method === 'Target.attachedToTarget') {
      const { targetId } = (message.params?.targetInfo ?? {}) as { targetId?: unknown };
      own(owner, message.params?.sessionId, targetId);
      starts.attached(owner, message.params);
    } else if (message.method === 'Target.detachedFromTarget') disown(String(message.params?.sessionId));
    const deliver = () =>
      message.sessionId === owner.root ? owner.deliver(withoutSession(text, message)) : owner.deliver(text, message);
    const isService = owner.isService === true;
    if (!downloads?.ended(owner, message, isService, () => owner.open && deliver())) deliver();
  });
  pipe.onClose(() => {
    closed = true;
    pending.clear();
    owners.clear();
    notifyAll(
      [...clients].map((client) => client.onDisconnect),
      [],
    );
    clients.clear();
  });

  function proxyProblem({ method, params }: CdpMessage): string | undefined {
    if (!boundToProxy || method !== 'Target.createBrowserContext') return undefined;
    return params?.proxyServer === undefined && params?.proxyBypassList === undefined ? undefined : proxyIsFixed;
  }

  function own(client: Client, sessionId: unknown, targetId?: unknown): void {
    if (typeof sessionId !== 'string') return;
    owners.set(sessionId, client);
    if (typeof targetId !== 'string') return;
    dialogs.attached(sessionId, targetId, client);
    if (!client.fitsPages) viewports.attached(sessionId, targetId);
  }

  function disown(sessionId: string): void {
    owners.delete(sessionId);
    viewports.detached(sessionId);
    dialogs.detached(sessionId);
    worlds.detached(sessionId);
    starts.detached(sessionId);
  }

  function send(message: CdpMessage, asked?: Pending): void {
    const id = nextId++;
    if (asked) pending.set(id, asked);
    pipe.send({ ...message, id });
  }

  /** Returns what passes the reply to a command on. It keeps nothing of the parameters: some commands are never answered. */
  function replyTo(client: Client, message: CdpMessage): Pending {
    const { id = 0, method, sessionId, params } = message;
    const attaches = method === 'Target.attachToTarget' || method === 'Target.attachToBrowserTarget';
    const targetId = attaches ? params?.targetId : undefined;
    const isForBrowser = (sessionId ?? client.root) === client.root;
    const attaching = isForBrowser ? attachesPages(message) : undefined;
    return {
      client,
      onReply(answer, text) {
        if (attaches) own(client, answer.result?.sessionId, targetId);
        if (attaching !== undefined && !answer.error) starts.answered(client, attaching);
        const to = withId(text, answer, id);
        client.deliver(isForBrowser ? withoutSession(to, answer, id) : to);
      },
    };
  }

  function receive(client: Client, message: CdpMessage): void {
    const { id, method, sessionId = client.root } = message;
    if (typeof id !== 'number' || typeof method !== 'string') {
      return reply(
        client,
        { error: { code: -32600, message: 'A command needs an "id" (number) and a "method" (string).' } },
        message,
      );
    }
    client.onCommand?.();
    if (method === 'Browser.close') {
      reply(client, { result: {} }, message);
      return client.onBrowserClose();
    }
    if (isDeeperThan(maxDepth, message.params)) {
      const problem = `The parameters are nested deeper than ${maxDepth} levels.`;
      return reply(client, { error: { code: -32600, message: problem } }, message);
    }
    const reason = blocked[method] ?? proxyProblem(message) ?? (client.isService ? undefined : refuses?.(message));
    if (reason) return reply(client, { error: { code: -32000, message: reason } }, message);
    if (owners.get(sessionId) !== client) {
      return reply(client, { error: { code: -32001, message: 'Session with given id not found.' } }, message);
    }
    viewports.command(sessionId, method);
    dialogs.command(sessionId, method);
    worlds.command(client, message);
    starts.command(client);
    const params = downloads ? downloads.command(client, message) : message.params;
    const forward = () => send({ ...message, ...(params && { params }), sessionId }, replyTo(client, message));
    const done = () => client.open && reply(client, { result: {} }, message);
    if (method === 'Runtime.runIfWaitingForDebugger') {
      const started = () => {
        send({ ...message, sessionId });
        done();
      };
      return starts.start(sessionId, forward, started);
    }
    if (method !== 'Page.handleJavaScriptDialog') return forward();
    dialogs.answer(sessionId, params, { forward, done });
  }

  return {
    /** The pages whose size code has set. */
    viewports,
    /** To be called when the browser doesn't answer a command of the service. */
    onUnresponsive,
    pause: pipe.pause,
    backlog: pipe.backlog,
    fault: pipe.fault,
    async connect(options: RelayClientOptions): Promise<RelayClient> {
      if (closed) throw new BrowserGone('the browser is closed');
      const client: Client = { ...options, root: '', open: true };
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const stopListening = pipe.onClose(() => reject(new BrowserGone('the browser is closed')));
      const onReply = (answer: CdpMessage) => {
        const root = answer.result?.sessionId;
        if (typeof root === 'string') {
          own(client, root);
          resolve(root);
        } else reject(new Error(answer.error?.message ?? 'The browser returned no session.'));
      };
      send({ method: 'Target.attachToBrowserTarget' }, { client, onReply });
      const timer = setTimeout(() => {
        reject(new Error(`The browser didn't answer within ${attachMs / 1000} s.`));
        onUnresponsive();
      }, attachMs).unref();
      client.root = await promise.finally(() => {
        stopListening();
        clearTimeout(timer);
      });
      clients.add(client);
      return {
        receive: (message) => {
          if (client.open) receive(client, message);
        },
        close: () => {
          if (!client.open) return;
          client.open = false;
          clients.delete(client);
          for (const [id, asked] of pending) if (asked.client === client) pending.delete(id);
          if (!closed) send({ method: 'Target.detachFromTarget', params: { sessionId: client.root } });
          for (const [sessionId, owner] of owners) if (owner === client) disown(sessionId);
          worlds.left(client);
          starts.left(client);
          downloads?.left(client);
        },
      };
    },
  };
}

function reply(client: Client, answer: Pick<CdpMessage, 'result' | 'error'>, to: CdpMessage): void {
  client.deliver(
    JSON.stringify({
      ...(to.id !== undefined && { id: to.id }),
      ...answer,
      ...(to.sessionId && { sessionId: to.sessionId }),
    }),
  );
}

/** Takes the session out of a message that is for the browser itself to its client. */
function withoutSession(text: CdpText, message: CdpMessage, id = message.id): CdpText {
  const tail = `,"sessionId":"${message.sessionId}"}`;
  if (typeof text === 'string') {
    if (text.endsWith(tail)) return `${text.slice(0, -tail.length)}}`;
  } else {
    const last = text.at(-1);
    const kept = last?.subarray(0, -tail.length);
    if (kept && last?.subarray(kept.length).equals(Buffer.from(tail)))
      return [...text.slice(0, -1), Buffer.concat([kept, Buffer.from('}')])];
  }
  const { method, params, result, error } = message;
  return JSON.stringify({ id, method, params, result, error });
}

/** Replaces the relay's ID with the client's, without serializing a large body again. */
function withId(text: CdpText, message: CdpMessage, id: number): CdpText {
  const prefix = `{"id":${message.id},`;
  const own = `{"id":${id},`;
  if (typeof text === 'string') {
    if (text.startsWith(prefix)) return own + text.slice(prefix.length);
  } else {
    const [first, ...others] = text;
    if (first?.subarray(0, prefix.length).equals(Buffer.from(prefix)))
      return [Buffer.concat([Buffer.from(own), first.subarray(prefix.length)]), ...others];
  }
  const { result, error, sessionId } = message;
  return JSON.stringify({ id, result, error, sessionId });
}

function isDeeperThan(limit: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((part) => isDeeperThan(limit - 1, part));
}
