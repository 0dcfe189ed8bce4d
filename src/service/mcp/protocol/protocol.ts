// The only part of the service that loads the SDK of the Model Context Protocol: a program of its own, loaded when the
// first agent connects, so that the service starts as fast without it.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { ToolResult } from '../../../answers/answer.ts';
import type { ListedPrompt } from '../prompts.ts';
import type { ListedResource } from '../resources.ts';
import type { Progress } from '../tools/tool.ts';
import type { ListedTool } from '../tools/tools.ts';
import { answerWrong, withoutNull } from './requests.ts';

/** What agents can do, without the protocol. */
export interface Abilities {
  tools(): ListedTool[];
  hasTool(name: string): boolean;
  callTool(name: string, args: unknown, call: AbilityCall): Promise<ToolResult>;
  resources(signal: AbortSignal): Promise<ListedResource[]>;
  resourceTemplates(): { uriTemplate: string; name: string; mimeType: string }[];
  readResource(uri: string, signal: AbortSignal): Promise<{ uri: string; mimeType: string; text: string }>;
  prompts(): ListedPrompt[];
  prompt(name: string, values?: Record<string, string>): { description: string; text: string };
}

export interface AbilityCall {
  /** The JSON-RPC ID of the request. */
  id: string | number;
  signal: AbortSignal;
  report(progress: Progress): void;
}

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

/** Answers one agent over streamable HTTP. */
export async function openConnection(options: ConnectionOptions): Promise<ProtocolConnection> {
  const { abilities } = options;
  const server = new Server(
    { name: 'web-data', title: 'Web Data', version: options.version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: options.instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: abilities.tools() as never }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { name, arguments: args, _meta } = params;
    if (!abilities.hasTool(name)) {
      const names = abilities.tools().map((tool) => tool.name);
      throw invalid(`There is no tool "${name.slice(0, 60)}". The tools are: ${names.join(', ')}.`);
    }
    const token = _meta?.progressToken;
    let last = -1;
    const report = ({ progress, total, message }: Progress) => {
      // The protocol demands that progress grows.
      if (token === undefined || progress <= last) return;
      last = progress;
      const notification = { progressToken: token, progress, ...(total !== undefined && { total }), message };
      extra.sendNotification({ method: 'notifications/progress', params: notification }).catch(() => undefined);
    };
    return await abilities.callTool(name, args, { id: extra.requestId, signal: extra.signal, report });
  });
  server.setRequestHandler(ListResourcesRequestSchema, async (_request, { signal }) => ({
    resources: await abilities.resources(signal),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: abilities.resourceTemplates(),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }, { signal }) => {
    const content = await abilities.readResource(params.uri, signal).catch((error: Error) => {
      throw invalid(error.message);
    });
    return { contents: [content] };
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: abilities.prompts() }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    try {
      const { description, text } = abilities.prompt(params.name, params.arguments);
      return { description, messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
    } catch (error) {
      throw invalid((error as Error).message);
    }
  });
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

function nameOf(server: Server): string {
  const { name = '', title } = server.getClientVersion() ?? {};
  return title ?? name;
}

function invalid(message: string): McpError {
  return new McpError(ErrorCode.InvalidParams, message);
}
