import { ProtocolErrorCode, specTypeSchemas } from '@modelcontextprotocol/server';
import { describeIssues } from '../../../../contract/errors.ts';
import { shorten } from '../../../../contract/shorten.ts';
import type { Abilities } from '../connections.ts';

const schemas: Readonly<Record<string, (typeof specTypeSchemas)[keyof typeof specTypeSchemas]>> = {
  initialize: specTypeSchemas.InitializeRequest,
  'tools/call': specTypeSchemas.CallToolRequest,
  'resources/read': specTypeSchemas.ReadResourceRequest,
  'prompts/get': specTypeSchemas.GetPromptRequest,
};

/**
 * Answers a request whose parameters have the wrong types, and says what to send: the SDK would answer with the text of its
 * own checks, or without the ID of the request. Returns undefined for all that the SDK can judge.
 */
export async function answerWrong(
  body: unknown,
  abilities: Abilities,
  signal: AbortSignal,
): Promise<object | undefined> {
  const { id, method, params } = (body ?? {}) as { id?: unknown; method?: unknown; params?: unknown };
  if ((typeof id !== 'string' && typeof id !== 'number') || typeof method !== 'string') return undefined;
  const schema = Object.hasOwn(schemas, method) ? schemas[method] : specTypeSchemas.JSONRPCRequest;
  const issues = [specTypeSchemas.JSONRPCRequest, schema].flatMap((each) => issuesOf(each, body));
  if (issues.length === 0) return undefined;
  const head = { jsonrpc: '2.0', id };
  const { name, arguments: args } = (params ?? {}) as { name?: unknown; arguments?: unknown };
  const isCall = method === 'tools/call' && typeof name === 'string' && abilities.hasTool(name);
  if (isCall && args !== undefined && (typeof args !== 'object' || Array.isArray(args))) {
    const result = await abilities.callTool(name, args, { id, signal, report: () => undefined });
    return { ...head, result };
  }
  const message = `Invalid ${shorten(method, 60)} request: ${describeIssues(issues)}.`;
  return { ...head, error: { code: ProtocolErrorCode.InvalidParams, message } };
}

function issuesOf(schema: (typeof schemas)[string] | undefined, body: unknown): Parameters<typeof describeIssues>[0] {
  // Those of the SDK are objects of zod.
  const checked = schema?.['~standard'].validate(body) as { issues?: Parameters<typeof describeIssues>[0] } | undefined;
  return checked?.issues ?? [];
}

/** Reads arguments that are null as none, as some agents mean it. */
export function withoutNull(body: unknown): unknown {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { arguments?: unknown } | null };
  if (method !== 'tools/call' || params?.arguments !== null) return body;
  return { ...(body as object), params: { ...params, arguments: {} } };
}
