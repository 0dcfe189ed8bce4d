import type { CdpMessage } from './messages.ts';
import type { CdpPipe } from './pipe.ts';

/** One CDP client of a shared browser: it believes that it talks to a browser of its own. */
export interface RelayClient {
  /** Passes a message of the client on to the browser. */
  receive(message: CdpMessage): void;
  /** Lets go of everything that the client was attached to. */
  close(): void;
}

export interface RelayClientOptions {
  /** Takes what the browser says to this client, as JSON; `message` is the same where it was parsed already. */
  deliver(text: string, message?: CdpMessage): void;
  /** The client asked the browser to close: the session ends, instead of the browser under everybody's feet. */
  onBrowserClose(): void;
  /** The browser is gone: nothing more will be delivered. */
  onDisconnect(): void;
  /** The client sent a command. */
  onCommand?(): void;
  /** While it says so, dialogs that pages open are told to this client and to no other. */
  claimsDialogs?(): boolean;
}

/** Lets many CDP clients share one browser's pipe, each with a session tree of its own. */
export interface Relay {
  connect(options: RelayClientOptions): Promise<RelayClient>;
}

interface Client extends RelayClientOptions {
  root: string;
  /** Commands of a client that is gone get no answer. */
  open: boolean;
}

/** Methods that would end or hurt the browser for its other clients, with why they are refused. */
const refused: Record<string, string> = {
  'Browser.crash': 'This service does not let a client crash the browser; destroy the session instead.',
  'Browser.crashGpuProcess': 'This service does not let a client crash the browser; destroy the session instead.',
};

export interface RelayOptions {
  /** Downloads go here, whatever folder a client names. */
  downloadPath?: string;
}

/** Shares `pipe` among clients. */
export function createRelay(pipe: CdpPipe, { downloadPath }: RelayOptions = {}): Relay {
  let nextId = 1;
  /** Who waits for the answer to which of our ids, and by which id it asked. */
  const waiting = new Map<number, (message: CdpMessage, text: string) => void>();
  /** Which client a CDP session belongs to. */
  const owners = new Map<string, Client>();
  const clients = new Set<Client>();
  let closed = false;

  pipe.onMessage((message, text) => {
    if (message.id !== undefined) {
      const answer = waiting.get(message.id);
      waiting.delete(message.id);
      answer?.(message, text);
      return;
    }
    const owner = message.sessionId === undefined ? undefined : owners.get(message.sessionId);
    if (!owner) return;
    if (message.method === 'Page.javascriptDialogOpening' && isClaimed(owner)) return;
    if (message.method === 'Target.attachedToTarget') own(owner, message.params?.sessionId);
    else if (message.method === 'Target.detachedFromTarget') owners.delete(String(message.params?.sessionId));
    if (message.sessionId === owner.root) owner.deliver(withoutSession(message));
    else owner.deliver(text, message);
  });
  pipe.onClose(() => {
    closed = true;
    waiting.clear();
    owners.clear();
    for (const client of clients) client.onDisconnect();
    clients.clear();
  });

  /** Whether another client has claimed what pages ask. */
  function isClaimed(owner: Client): boolean {
    for (const client of clients) if (client.claimsDialogs?.()) return client !== owner;
    return false;
  }

  function own(client: Client, sessionId: unknown): void {
    if (typeof sessionId === 'string') owners.set(sessionId, client);
  }

  function send(message: CdpMessage, answer?: (message: CdpMessage, text: string) => void): void {
    const id = nextId++;
    if (answer) waiting.set(id, answer);
    pipe.send({ ...message, id });
  }

  function receive(client: Client, message: CdpMessage): void {
    const { id, method, sessionId = client.root } = message;
    if (typeof id !== 'number' || typeof method !== 'string') {
      return reply(
        client,
        { error: { code: -32600, message: 'A command needs an "id" (number) and a "method" (text).' } },
        message,
      );
    }
    client.onCommand?.();
    if (method === 'Browser.close') {
      reply(client, { result: {} }, message);
      return client.onBrowserClose();
    }
    const refusal = refused[method];
    if (refusal) return reply(client, { error: { code: -32000, message: refusal } }, message);
    if (owners.get(sessionId) !== client) {
      return reply(client, { error: { code: -32001, message: 'Session with given id not found.' } }, message);
    }
    const params =
      method === 'Browser.setDownloadBehavior' && downloadPath ? { ...message.params, downloadPath } : message.params;
    send({ ...message, ...(params && { params }), sessionId }, (answer, text) => {
      if (!client.open) return;
      if (method === 'Target.attachToTarget' || method === 'Target.attachToBrowserTarget')
        own(client, answer.result?.sessionId);
      client.deliver(sessionId === client.root ? withoutSession({ ...answer, id }) : withId(text, answer, id));
    });
  }

  return {
    async connect(options) {
      if (closed) throw new Error('The browser is gone.');
      const client: Client = { ...options, root: '', open: true };
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const stopListening = pipe.onClose(() => reject(new Error('The browser is gone.')));
      send({ method: 'Target.attachToBrowserTarget' }, (answer) => {
        const root = answer.result?.sessionId;
        if (typeof root === 'string') {
          own(client, root);
          resolve(root);
        } else reject(new Error(answer.error?.message ?? 'The browser gave no session.'));
      });
      client.root = await promise.finally(stopListening);
      clients.add(client);
      return {
        receive: (message) => {
          if (client.open) receive(client, message);
        },
        close: () => {
          if (!client.open) return;
          client.open = false;
          clients.delete(client);
          if (!closed) send({ method: 'Target.detachFromTarget', params: { sessionId: client.root } });
          for (const [sessionId, owner] of owners) if (owner === client) owners.delete(sessionId);
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

function withoutSession({ sessionId: _, ...message }: CdpMessage): string {
  return JSON.stringify(message);
}

/** Puts the client's id in the place of ours without writing a body of megabytes anew. */
function withId(text: string, message: CdpMessage, id: number): string {
  const prefix = `{"id":${message.id},`;
  return text.startsWith(prefix) ? `{"id":${id},${text.slice(prefix.length)}` : JSON.stringify({ ...message, id });
}
