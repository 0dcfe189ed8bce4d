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
import { mcpPath } from '../../../contract/mcp.ts';
import type { HeldService } from './companion.ts';

export interface BridgeOptions {
  /** The side of the agent, not started. */
  agent: Transport;
  /** Finds the service, or starts one. */
  hold(): Promise<HeldService>;
  /** Key to use instead of the service's own. */
  apiKey?: string | undefined;
  log(line: string): void;
}

interface Way {
  transport: StreamableHTTPClientTransport;
  service: HeldService;
}

/** The ID of the request that introduces the agent to a service that has replaced another one. */
const againId = 'web-data-again';

/**
 * Passes the messages of an agent to the service and back. If the service stops, the next message finds or starts another
 * one, and the agent is introduced to it again: it only has lost its sessions.
 */
export async function bridge({ agent, hold, apiKey, log }: BridgeOptions): Promise<{ close(): Promise<void> }> {
  let way: Promise<Way> | undefined;
  /** The way that is open. */
  let current: Way | undefined;
  let introduction: (InitializeRequest & { jsonrpc: '2.0'; id: string | number }) | undefined;
  let version: string | undefined;
  /** Requests without a response yet. */
  const open = new Set<string | number>();

  async function connect(): Promise<Way> {
    const service = await hold();
    const key = apiKey ?? service.apiKey;
    const transport = new StreamableHTTPClientTransport(new URL(mcpPath, service.baseUrl), {
      requestInit: { headers: key ? { authorization: `Bearer ${key}` } : {} },
    });
    const opened = { transport, service };
    transport.onmessage = (message) => void receive(message, transport);
    void service.gone.then(() => lost(opened));
    await transport.start();
    if (introduction && version !== undefined) await introduce(transport, introduction, version);
    current = opened;
    return opened;
  }

  async function introduce(transport: StreamableHTTPClientTransport, initialize: JSONRPCMessage, as: string) {
    await transport.send({ ...initialize, id: againId } as JSONRPCMessage);
    transport.setProtocolVersion(as);
    await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** Forgets a way whose service is gone, and says so to all that wait for it, except a request that is sent again. */
  function lost(lostWay: Way | undefined, except?: string | number): void {
    if (lostWay === undefined || lostWay !== current) return;
    current = undefined;
    way = undefined;
    lostWay.service.release();
    lostWay.transport.close().catch(() => undefined);
    for (const id of [...open]) if (id !== except) void refuse(id, stopped);
  }

  async function receive(message: JSONRPCMessage, transport: StreamableHTTPClientTransport): Promise<void> {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      if (message.id === againId) return;
      if (message.id !== undefined) open.delete(message.id);
      if (isJSONRPCResultResponse(message) && introduction?.id === message.id) {
        version = String(message.result.protocolVersion);
        transport.setProtocolVersion(version);
      }
    }
    await agent.send(message);
  }

  async function refuse(id: string | number, message: string): Promise<void> {
    if (!open.delete(id)) return;
    await agent.send({ jsonrpc: '2.0', id, error: { code: -32_000, message } }).catch(() => undefined);
  }

  async function pass(message: JSONRPCMessage, isRetry = false): Promise<void> {
    if (isInitializeRequest(message)) introduction = message as typeof introduction;
    if (isJSONRPCRequest(message)) open.add(message.id);
    try {
      way ??= connect().catch((error: unknown) => {
        way = undefined;
        throw error;
      });
      const { transport } = await way;
      await transport.send(message);
    } catch (error) {
      // The service has forgotten this connection, or it is gone: either way the message hasn't reached it.
      if ((codeOf(error) === 404 || isRefused(error)) && !isRetry) {
        lost(current, isJSONRPCRequest(message) ? message.id : undefined);
        return await pass(message, true);
      }
      const reason = reasonOf(error);
      log(reason);
      if (isJSONRPCRequest(message)) await refuse(message.id, reason);
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
      const ending = await way?.catch(() => undefined);
      await ending?.transport.terminateSession().catch(() => undefined);
      await ending?.transport.close().catch(() => undefined);
      ending?.service.release();
    },
  };
}

const stopped = 'The service stopped before it answered. Call again to restart it.';

/** Returns the HTTP status of an error, if it has one. */
function codeOf(error: unknown): number | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? code : undefined;
}

/** Whether nothing listens at the service's address any more. */
function isRefused(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown } };
  return cause?.code === 'ECONNREFUSED';
}

function reasonOf(error: unknown): string {
  if (codeOf(error) === 401)
    return 'The service refused the key: it was revoked, or belongs to another service. Copy the MCP configuration again.';
  const { name, message } = error as Error;
  if (name === 'TypeError' && message === 'fetch failed') return stopped;
  return message.split('\n')[0] ?? message;
}
