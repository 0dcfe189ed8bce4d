// The only part of the service that loads the SDK of the Model Context Protocol: a program of its own, loaded when the
// first agent connects, so that the service starts as fast without it.
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { shorten } from '../../../../contract/shorten.ts';
import type { Abilities } from '../connections.ts';
import type { Progress } from '../tools/tool.ts';
import { answerWrong, withoutNull } from './requests.ts';

export interface ConnectionOptions {
  id: string;
  version: string;
  instructions: string;
  abilities: Abilities;
  /** Called with the agent's name for itself, once it has told it. */
  onNamed(name: string): void;
}

/** A connection of an agent. */
export interface ProtocolConnection {
  handle(request: Request, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

/** Whether a request is of a revision before 2026-07-28, with a handshake and a session. */
export async function hasHandshake(request: Request, body: unknown): Promise<boolean> {
  return await isLegacyRequest(request, body);
}

/** Answers one agent over streamable HTTP, in a revision with a handshake and a session. */
export async function openConnection(options: ConnectionOptions): Promise<ProtocolConnection> {
  const { abilities } = options;
  const server = createServer(options);
  server.oninitialized = () => options.onNamed(nameOf(server));
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => options.id });
  await server.connect(transport);
  return {
    async handle(request, body) {
      const parsedBody = withoutNull(body);
      const wrong = await answerWrong(parsedBody, abilities, request.signal);
      if (wrong) return Response.json(wrong, { status: server.getClientVersion() ? 200 : 400 });
      const response = await transport.handleRequest(request, { parsedBody });
      options.onNamed(nameOf(server));
      return response;
    },
    close: () => server.close(),
  };
}

/** Answers one agent whose requests stand alone, in the revision of 2026-07-28: each says who it is from. */
export async function openStateless(options: ConnectionOptions): Promise<ProtocolConnection> {
  const { abilities } = options;
  const handler = createMcpHandler(({ requestInfo }) => createServer(options, requestInfo?.signal), {
    legacy: 'reject',
  });
  return {
    async handle(request, body) {
      const parsedBody = withoutNull(body);
      // The handshake is no longer a method there.
      const isMethod = (body as { method?: unknown } | null)?.method !== 'initialize';
      const wrong = isMethod && (await answerWrong(parsedBody, abilities, request.signal));
      if (wrong) return Response.json({ ...wrong, ...withType(wrong) });
      return await handler.fetch(request, { parsedBody });
    },
    close: () => handler.close(),
  };
}

/** Results of the newer revision say what they are. */
function withType(answer: object): object {
  return 'result' in answer ? { result: { resultType: 'complete', ...(answer.result as object) } } : {};
}

/** How long agents may keep the lists, which are the same as long as the service runs, in milliseconds. */
const listMs = 5 * 60 * 1000;
const lists = { ttlMs: listMs, cacheScope: 'private' } as const;

/** @param gone aborts when nobody waits for the answer to a request that stands alone */
function createServer({ abilities, version, instructions, ...options }: ConnectionOptions, gone?: AbortSignal): Server {
  const server = new Server(
    { name: 'web-data', title: 'Web Data', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions,
      cacheHints: {
        'tools/list': lists,
        'prompts/list': lists,
        'resources/templates/list': lists,
        'server/discover': lists,
      },
    },
  );
  const until = (signal: AbortSignal) => (gone ? AbortSignal.any([signal, gone]) : signal);
  server.setRequestHandler('tools/list', () => ({ tools: abilities.tools() as never }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { name, arguments: args } = params;
    if (!abilities.hasTool(name)) {
      const names = abilities.tools().map((tool) => tool.name);
      throw invalid(`There is no tool "${shorten(name, 60)}". The tools are: ${names.join(', ')}.`);
    }
    const token = mcpReq._meta?.progressToken;
    let last = -1;
    const report = ({ progress, total, message }: Progress) => {
      // The protocol demands that progress grows.
      if (token === undefined || progress <= last) return;
      last = progress;
      const notification = { progressToken: token, progress, ...(total !== undefined && { total }), message };
      mcpReq.notify({ method: 'notifications/progress', params: notification }).catch(() => undefined);
    };
    // Without sessions, agents with one key may use the same IDs at the same time.
    const id = gone ? `${options.id} ${++calls}` : mcpReq.id;
    return await abilities.callTool(name, args, { id, signal: until(mcpReq.signal), report });
  });
  server.setRequestHandler('resources/list', async (_request, { mcpReq }) => ({
    resources: await abilities.resources(until(mcpReq.signal)),
  }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: abilities.resourceTemplates() }));
  server.setRequestHandler('resources/read', async ({ params }, { mcpReq }) => {
    const content = await abilities.readResource(params.uri, until(mcpReq.signal)).catch((error: Error) => {
      throw invalid(error.message);
    });
    return { contents: [content] };
  });
  server.setRequestHandler('prompts/list', () => ({ prompts: abilities.prompts() }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    try {
      const { description, text } = abilities.prompt(params.name, params.arguments);
      return { description, messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
    } catch (error) {
      throw invalid((error as Error).message);
    }
  });
  return server;
}

/** Calls without a session, to tell them apart. */
let calls = 0;

function nameOf(server: Server): string {
  const { name = '', title } = server.getClientVersion() ?? {};
  return title ?? name;
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
