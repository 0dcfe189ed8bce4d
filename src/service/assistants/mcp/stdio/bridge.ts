import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type InitializeRequest,
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import { mcpPath } from '../../../../contract/mcp/mcp.ts';
import type { HeldService } from './companion.ts';
import { loopbackFetch } from './loopback-fetch.ts';

export interface BridgeOptions {
  /** The side of the agent, not started. */
  agent: Transport;
  /** Finds the service, or starts one. */
  hold(): Promise<HeldService>;
  /** Key to use instead of the service's own. */
  apiKey?: string | undefined;
  log(line: string): void;
}

/** A connection to a service. */
interface Way {
  transport: StreamableHTTPClientTransport;
  service: HeldService;
  /** Requests that were sent this way and have no response yet. */
  open: Set<RequestId>;
  /** Whether it ends as soon as the last of them has a response. */
  isLast: boolean;
  isLost: boolean;
}

type RequestId = string | number;

/** The ID of the request that introduces the agent to a service that has replaced another one. */
const againId = 'web-data-again';

/**
 * Passes the messages of an agent to the service and back. If the service stops, the next message finds or starts another
 * one, and the agent is introduced to it again: it has only lost its sessions. Every request gets a response.
 */
export async function bridge({ agent, hold, apiKey, log }: BridgeOptions): Promise<{ close(): Promise<void> }> {
  /** The way that messages take, or that is being opened for them. */
  let way: Promise<Way> | undefined;
  /** The way that is open. */
  let current: Way | undefined;
  let introduction: (InitializeRequest & { jsonrpc: '2.0'; id: RequestId }) | undefined;
  let version: string | undefined;
  let isClosed = false;
  /** End requests that stand alone, by their ID. */
  const cancels = new Map<RequestId, AbortController>();

  async function connect(): Promise<Way> {
    const service = await hold();
    const key = apiKey ?? service.apiKey;
    const open: Way['open'] = new Set();
    const transport = new StreamableHTTPClientTransport(new URL(mcpPath, service.baseUrl), {
      requestInit: { headers: key ? { authorization: `Bearer ${key}` } : {} },
      fetch: (url, init) => {
        const ids = requestsIn(init?.body);
        return loopbackFetch(new URL(url), alone(init), ({ isWhole }) => {
          // The service is about to be found dead: nothing may be sent to it anymore.
          if (!isWhole) retire(opened);
          for (const id of ids) void refuse(id, opened, unanswered);
        });
      },
    });
    /** Adds to a request that stands alone what the protocol demands of it over HTTP, and lets it be canceled there. */
    function alone(init: RequestInit | undefined): RequestInit | undefined {
      const [message] = messagesIn(init?.body);
      const revision = revisionOf(message);
      if (!init || !isJSONRPCRequest(message) || revision === undefined) return init;
      const headers = new Headers(init.headers);
      headers.set('mcp-protocol-version', revision);
      headers.set('mcp-method', message.method);
      const { name, uri } = (message.params ?? {}) as { name?: unknown; uri?: unknown };
      for (const value of [name, uri]) if (typeof value === 'string') headers.set('mcp-name', encodeHeader(value));
      const controller = new AbortController();
      cancels.set(message.id, controller);
      return {
        ...init,
        headers,
        signal: init.signal ? AbortSignal.any([init.signal, controller.signal]) : controller.signal,
      };
    }
    const opened: Way = { transport, service, open, isLast: false, isLost: false };
    transport.onmessage = (message) => void receive(message, opened);
    void service.gone.then(() => lose(opened));
    try {
      await transport.start();
      if (introduction && version !== undefined) await introduce(opened, introduction, version);
      if (opened.isLost || isClosed) throw new Error(stopped);
    } catch (error) {
      const reason = opened.isLost ? new Error(stopped) : error;
      lose(opened);
      throw reason;
    }
    current = opened;
    return opened;
  }

  async function introduce({ transport }: Way, initialize: JSONRPCMessage, as: string): Promise<void> {
    await transport.send({ ...initialize, id: againId } as JSONRPCMessage);
    transport.setProtocolVersion(as);
    await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** Sends nothing more that way. */
  function leave(left: Way): void {
    if (left !== current) return;
    current = undefined;
    way = undefined;
  }

  /** Sends nothing more that way, and gives it up when all requests have a response. */
  function retire(retired: Way): void {
    leave(retired);
    retired.isLast = true;
    if (retired.open.size === 0) lose(retired);
  }

  /** Ends a request. Returns whether it had no response yet. */
  function settle(id: RequestId, its: Way): boolean {
    const wasOpen = its.open.delete(id);
    if (wasOpen) queueMicrotask(() => cancels.delete(id));
    if (its.isLast && its.open.size === 0) lose(its);
    return wasOpen;
  }

  /** Gives a way up, and says so to all that wait for it. */
  function lose(lost: Way): void {
    if (lost.isLost) return;
    lost.isLost = true;
    leave(lost);
    lost.service.release();
    lost.transport.close().catch(() => undefined);
    for (const id of [...lost.open]) void refuse(id, lost, stopped);
  }

  async function receive(message: JSONRPCMessage, from: Way): Promise<void> {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      if (message.id === againId) return;
      // It has been refused already.
      if (message.id !== undefined && !settle(message.id, from)) return;
      if (isJSONRPCResultResponse(message) && introduction?.id === message.id) {
        version = String(message.result.protocolVersion);
        from.transport.setProtocolVersion(version);
      }
    }
    await agent.send(message);
  }

  async function refuse(id: RequestId, its: Way | undefined, message: string): Promise<void> {
    if (its && !settle(id, its)) return;
    await agent.send({ jsonrpc: '2.0', id, error: { code: -32_000, message } }).catch(() => undefined);
  }

  async function pass(message: JSONRPCMessage, isRetry = false): Promise<void> {
    if (isInitializeRequest(message)) introduction = message as typeof introduction;
    let taken: Way | undefined;
    try {
      way ??= connect().catch((error: unknown) => {
        way = undefined;
        throw error;
      });
      taken = await way;
      if (taken.isLost && !isRetry) return await pass(message, true);
      if (isJSONRPCRequest(message)) taken.open.add(message.id);
      // The service doesn't answer what is canceled.
      else if (isCancellation(message)) {
        const { requestId } = message.params;
        settle(requestId, taken);
        const cancel = cancels.get(requestId);
        // One that stands alone is canceled by ending it.
        if (cancel) return cancel.abort();
      }
      await taken.transport.send(message);
    } catch (error) {
      // The service has forgotten this connection, or it is gone: either way the message hasn't reached it.
      if (taken && (codeOf(error) === 404 || isRefused(error)) && !isRetry && !isClosed) {
        if (isJSONRPCRequest(message)) taken.open.delete(message.id);
        retire(taken);
        return await pass(message, true);
      }
      const reason = reasonOf(error);
      log(reason);
      if (isJSONRPCRequest(message)) await refuse(message.id, taken, reason);
      if (taken && isBroken(error)) retire(taken);
    }
  }

  // In order: a request must not overtake the introduction.
  let last: Promise<void> = Promise.resolve();
  agent.onmessage = (message) => {
    const isFirst = isInitializeRequest(message);
    const passed = last.then(() => pass(message));
    if (isFirst) last = passed;
  };
  await agent.start();
  return {
    async close() {
      isClosed = true;
      const ending = await way?.catch(() => undefined);
      if (!ending) return;
      await ending.transport.terminateSession().catch(() => undefined);
      lose(ending);
    },
  };
}

/** Returns the IDs of the requests in a body that is sent to the service. */
function requestsIn(body: unknown): RequestId[] {
  return messagesIn(body).flatMap((message) => (isJSONRPCRequest(message) ? [message.id] : []));
}

function messagesIn(body: unknown): JSONRPCMessage[] {
  if (typeof body !== 'string') return [];
  const sent: JSONRPCMessage | JSONRPCMessage[] = JSON.parse(body);
  return [sent].flat();
}

/** Returns the revision of the protocol that a message names, if it stands alone. */
function revisionOf(message: JSONRPCMessage | undefined): string | undefined {
  const { params } = (message ?? {}) as { params?: { _meta?: Record<string, unknown> } };
  const revision = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  return typeof revision === 'string' ? revision : undefined;
}

/** Writes a value for a header, in the form of the protocol for what a header can't hold. */
function encodeHeader(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/i.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

function isCancellation(message: JSONRPCMessage): message is JSONRPCMessage & { params: { requestId: RequestId } } {
  const { method, params } = message as { method?: string; params?: { requestId?: unknown } };
  return method === 'notifications/cancelled' && params?.requestId !== undefined;
}

const unanswered = 'The service stopped before it answered, or closed the connection. Call again.';
const stopped = 'The service stopped before it answered. Call again to restart it.';

/** Returns the HTTP status of an error, if it has one. */
function codeOf(error: unknown): number | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? code : undefined;
}

/** Whether nothing listens at the service's address anymore. */
function isRefused(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown } };
  return cause?.code === 'ECONNREFUSED';
}

/** Whether the connection to the service broke off. */
function isBroken(error: unknown): boolean {
  const { name, message } = error as Error;
  return name === 'TypeError' && message === 'fetch failed';
}

function reasonOf(error: unknown): string {
  if (codeOf(error) === 401)
    return 'The service refused the key: it was revoked, or belongs to another service. Copy the MCP configuration again.';
  const { message } = error as Error;
  if (isBroken(error)) return stopped;
  return message.split('\n')[0] ?? message;
}
