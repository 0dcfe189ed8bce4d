import type { BidiMapper as Mapper } from 'chromium-bidi';
import { messageOf } from '../../../platform/errors.ts';
import { blame } from '../../../platform/faults.ts';
import { getOrAdd } from '../../../platform/maps.ts';
import { readInOrder } from '../in-order.ts';
import type { CdpMessage } from '../messages.ts';
import type { Relay, RelayClient, RelayClientOptions } from '../relay/relay.ts';

/** A WebDriver BiDi command: its modules start with a small letter, and CDP's domains with a capital one. */
export function isBidi({ method }: CdpMessage): boolean {
  return typeof method === 'string' && /^[a-z]+[A-Za-z]*\./.test(method);
}

/** Runs code of the mapper. What it starts may fail later, with nobody to catch that, such as on requests of a page that has gone. */
const inMapper = <Result>(work: () => Result): Result => blame('a WebDriver BiDi client', work);
/** Runs the service's own code, which the mapper calls. */
const inService = <Result>(work: () => Result): Result => blame(undefined, work);

/** The ID of the command that starts the session of a client that doesn't do so itself, as Selenium. */
const ownId = Number.MAX_SAFE_INTEGER;

export interface BidiOptions extends Pick<RelayClientOptions, 'onBrowserClose' | 'onDisconnect' | 'onCommand'> {
  /** Receives a response or an event as JSON. */
  deliver(text: string): void;
  /** Called when the client ends its session; the browser stays open. */
  onEnd(): void;
}

/** Serves WebDriver BiDi to a client of a shared browser, with a CDP session tree of its own. */
export async function connectBidi(relay: Relay, options: BidiOptions): Promise<RelayClient> {
  // It is a large module that few sessions need.
  const { BidiMapper } = await import('chromium-bidi');
  const connection = await connectCdp(relay, options, BidiMapper);
  let onMessage: (message: never) => unknown = () => undefined;
  /** Commands of a client that expects a session, until there is one. */
  let early: CdpMessage[] | undefined;
  let hasSession = false;
  const transport = {
    setOnMessage: (handler: (message: never) => unknown) => {
      onMessage = handler;
    },
    sendMessage(message: object) {
      if (!('id' in message) || message.id !== ownId) return inService(() => options.deliver(JSON.stringify(message)));
      for (const command of early ?? []) inMapper(() => onMessage(command as never));
      early = undefined;
    },
    close: () => undefined,
  };
  const started = inMapper(() => BidiMapper.BidiServer.createAndStart(transport, connection, connection.browser, ''));
  const server = await started.catch((error: unknown) => {
    connection.close();
    throw error;
  });

  return {
    receive(message) {
      const { id, method } = message;
      if (method === 'session.end') {
        options.deliver(JSON.stringify({ type: 'success', id, result: {} }));
        return options.onEnd();
      }
      if (method === 'session.new') hasSession = true;
      if (!hasSession && method !== 'session.status') {
        hasSession = true;
        early = [];
        inMapper(() => onMessage({ id: ownId, method: 'session.new', params: { capabilities: {} } } as never));
      }
      if (early) early.push(message);
      else inMapper(() => onMessage(message as never));
    },
    close() {
      inMapper(() => server.close());
      connection.close();
    },
  };
}

/** A CDP connection as the mapper expects it. */
async function connectCdp(
  relay: Relay,
  { onBrowserClose, onDisconnect, onCommand }: BidiOptions,
  { EventEmitter }: typeof Mapper,
) {
  let nextId = 1;
  let open = true;
  const pending = new Map<number, (message: CdpMessage) => void>();
  const clients = new Map<string | undefined, Client>();

  class Client extends EventEmitter<Record<string | symbol, unknown>> {
    readonly sessionId: string | undefined;
    constructor(sessionId: string | undefined) {
      super();
      this.sessionId = sessionId;
    }
    async sendCommand(method: string, params: Record<string, unknown> = {}): Promise<unknown> {
      const id = nextId++;
      const answer = await new Promise<CdpMessage>((resolve) => {
        // Once the client has left, nobody waits for an answer, and none comes.
        if (!open) return;
        pending.set(id, resolve);
        const command = { id, method, params, ...(this.sessionId && { sessionId: this.sessionId }) };
        inService(() => relayClient.receive(command));
      });
      if (answer.error) throw new (answer.error.code === -32001 ? ClosedError : Error)(answer.error.message);
      return answer.result ?? {};
    }
    isCloseError(error: unknown): boolean {
      return error instanceof ClosedError || /closed|not found/i.test(messageOf(error));
    }
  }
  const clientOf = (sessionId: string | undefined) => getOrAdd(clients, sessionId, () => new Client(sessionId));

  function take(message: CdpMessage): void {
    if (message.id !== undefined) {
      pending.get(message.id)?.(message);
      pending.delete(message.id);
      return;
    }
    inMapper(() => clientOf(message.sessionId).emit(message.method ?? '', message.params));
    if (message.method === 'Target.detachedFromTarget') clients.delete(String(message.params?.sessionId));
  }

  const relayClient = await relay.connect({
    deliver: readInOrder({ take, hears: () => open, pause: relay.pause, fault: relay.fault }),
    onBrowserClose,
    onDisconnect,
    ...(onCommand && { onCommand }),
  });
  return {
    // biome-ignore lint/suspicious/noExplicitAny: the mapper types the parameters of every command
    browser: clientOf(undefined) as any,
    // biome-ignore lint/suspicious/noExplicitAny: the same
    getCdpClient: (sessionId: string) => clientOf(sessionId) as any,
    close() {
      open = false;
      relayClient.close();
      pending.clear();
    },
  };
}

class ClosedError extends Error {}
