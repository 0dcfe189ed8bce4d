import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  JSONRPCRequestSchema,
  ReadResourceRequestSchema,
  RequestIdSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describeIssues } from '../../../contract/errors.ts';
import type { Abilities } from './protocol.ts';

const schemas = [InitializeRequestSchema, CallToolRequestSchema, ReadResourceRequestSchema, GetPromptRequestSchema];

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
  const known = RequestIdSchema.safeParse(id);
  if (!known.success || typeof method !== 'string') return undefined;
  const schema = schemas.find(({ shape }) => shape.method.value === method) ?? JSONRPCRequestSchema;
  const { error } = schema.safeParse(body);
  if (!error) return undefined;
  const head = { jsonrpc: '2.0', id: known.data };
  const { name, arguments: args } = (params ?? {}) as { name?: unknown; arguments?: unknown };
  const isCall = method === 'tools/call' && typeof name === 'string' && abilities.hasTool(name);
  if (isCall && args !== undefined && (typeof args !== 'object' || Array.isArray(args))) {
    const result = await abilities.callTool(name, args, { id: known.data, signal, report: () => undefined });
    return { ...head, result };
  }
  const message = `Invalid ${method.slice(0, 60)} request: ${describeIssues(error.issues)}.`;
  return { ...head, error: { code: ErrorCode.InvalidParams, message } };
}

/** Reads arguments that are null as none, as some agents mean it. */
export function withoutNull(body: unknown): unknown {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { arguments?: unknown } | null };
  if (method !== 'tools/call' || params?.arguments !== null) return body;
  return { ...(body as object), params: { ...params, arguments: {} } };
}
