import * as z from 'zod';
import type { Endpoint } from '../contract/endpoints.ts';
import { describeIssues } from '../contract/errors.ts';
import { ApiError, type CallName, UnexpectedResponseError } from './errors.ts';
import { parseRetryAfter } from './retry.ts';
import { safeLine, safeText } from './safe-text.ts';

/** Bytes of an answer that are read at most. */
export const longestAnswer = 64 * 1024 * 1024;

/** An answer as it came: its body is text, whatever the content type says. */
export interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** Reads a body to its end; undefined when it is longer than `longestAnswer`. Rejects as the stream does. */
export async function readText(response: Response): Promise<string | undefined> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > longestAnswer) {
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** What is wrong with an answer, as an error that shows its first 200 characters. */
export function unexpected(call: CallName, answer: RawAnswer, problem: string, redact: (text: string) => string) {
  return new UnexpectedResponseError(call, {
    status: answer.status,
    problem: redact(problem),
    bodyStart: safeLine(redact(answer.text.slice(0, 8192)), 200),
    outcomeUnknown: answer.status < 300 || answer.status >= 500,
  });
}

/**
 * The value of an answer.
 * Fields that the contract does not know pass through; an optional field of a wrong type counts as missing.
 * @throws ApiError where the server says what failed, UnexpectedResponseError for all that is not this API
 */
export function readAnswer(call: CallName, entry: Endpoint, answer: RawAnswer, context: AnswerContext): unknown {
  const { status } = answer;
  const refuse = (problem: string) => unexpected(call, answer, problem, context.redact);
  if (status >= 400) throw apiError(call, entry, answer, parseJson(answer.text), context);
  if (status >= 300) throw refuse(describeRedirect(answer.headers.get('location')));
  const value = parseJson(answer.text);
  if (value === undefined) throw refuse(describeNonJson(answer.text));
  if (!isObject(value)) throw refuse('expected a JSON object');

  const shape = entry.response instanceof z.ZodObject ? entry.response.shape : undefined;
  if (value.success === false && typeof value.error === 'string' && !(shape && 'error' in shape)) {
    throw apiError(call, entry, answer, value, context);
  }
  if (shape && !Object.keys(shape).some((field) => Object.hasOwn(value, field))) {
    throw refuse('the JSON object has none of the fields that were expected');
  }
  const parsed = parseLeniently(entry.response, value);
  if ('problem' in parsed) throw refuse(parsed.problem);
  return parsed.data;
}

export interface AnswerContext {
  redact: (text: string) => string;
  hasKey: boolean;
  now: number;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describeNonJson(text: string): string {
  if (text.trim() === '') return 'it is empty';
  if (/^\s*<(!doctype|html|\?xml)/i.test(text)) return 'expected JSON, got a web page';
  return 'expected JSON, got something else';
}

function describeRedirect(location: string | null): string {
  if (!location) return 'it points elsewhere without saying where';
  if (!URL.canParse(location))
    return `it points to ${safeLine(location.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//'), 200)}, which is not followed`;
  const { protocol, host, pathname } = new URL(location);
  return `it points to ${safeLine(`${protocol}//${host}${pathname}`, 200)}, which is not followed; use that address if it is right`;
}

/** Parses, taking out optional fields of a wrong type until the rest passes. */
function parseLeniently(schema: z.ZodType, value: Record<string, unknown>): { data: unknown } | { problem: string } {
  for (let round = 0; ; round++) {
    const result = schema.safeParse(value);
    if (result.success) return { data: result.data };
    const { issues } = result.error;
    const droppedAll = round < 3 && issues.every((issue) => drop(value, issue.path));
    if (!droppedAll) return { problem: safeLine(describeIssues(issues), 300) };
  }
}

/** Takes the field at `path`, or the nearest one around a list item, out; false when nothing is there to take. */
function drop(value: Record<string, unknown>, path: readonly PropertyKey[]): boolean {
  let length = path.length;
  while (length > 0 && typeof path[length - 1] !== 'string') length--;
  const field = path[length - 1];
  if (typeof field !== 'string' || (length === 1 && field === 'success')) return false;
  let parent: unknown = value;
  for (const step of path.slice(0, length - 1)) {
    if (typeof parent !== 'object' || parent === null) return true;
    parent = (parent as Record<PropertyKey, unknown>)[step];
  }
  // Gone already with a field around it.
  if (!isObject(parent)) return true;
  if (!Object.hasOwn(parent, field)) return length !== path.length;
  delete parent[field];
  return true;
}

const meanings: Readonly<Record<number, string>> = {
  400: 'the server refused the request as wrong',
  402: 'not enough credits',
  403: 'this is not allowed with this API key',
  404: 'not found',
  405: 'the server does not offer this',
  408: 'the server gave up waiting',
  409: 'it conflicts with something that is going on',
  410: 'it is gone',
  413: 'the request is too large',
  415: 'the server does not take JSON',
  429: 'too many requests, or too many at once',
  500: 'the server failed',
  501: 'the server does not offer this',
  502: 'a server behind this one failed',
  503: 'the server is not able to do this now',
  504: 'a server behind this one did not answer in time',
};

function apiError(call: CallName, entry: Endpoint, answer: RawAnswer, body: unknown, context: AnswerContext): ApiError {
  const { status } = answer;
  const serverMessage = messageOf(body, context.redact);
  const code = isObject(body) && typeof body.code === 'string' ? safeLine(context.redact(body.code), 100) : undefined;
  const retryAfterMs = parseRetryAfter(answer.headers.get('retry-after'), context.now);
  // A 5xx without the shape of this API comes from a server in between, which the contract says nothing of.
  const ownMeaning = status < 500 || isObject(body) ? entry.errors[status] : undefined;
  const meaning = status === 401 ? authentication(context.hasKey) : (ownMeaning ?? meanings[status]);
  return new ApiError(call, {
    status,
    sentence: serverMessage ?? meaning ?? (status < 500 ? 'the server refused the request' : 'the server failed'),
    hint: hintFor(status, serverMessage !== undefined, retryAfterMs, context.hasKey),
    serverMessage,
    code,
    retryAfterMs,
    // The service speaks for itself; a server in between does not know what happened behind it.
    outcomeUnknown: status === 408 || (status >= 500 && serverMessage === undefined),
  });
}

function authentication(hasKey: boolean): string {
  return hasKey ? 'the server refused the API key' : 'the server asks for an API key';
}

function hintFor(
  status: number,
  spoken: boolean,
  retryAfterMs: number | undefined,
  hasKey: boolean,
): string | undefined {
  if (status === 401) return hasKey ? 'Check the API key.' : 'Give the API key of this server.';
  if (retryAfterMs !== undefined) return `Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
  if (status === 429) return 'Wait a little, then try again.';
  if (status === 404 && !spoken) return 'Check that the address is that of a web data server.';
  return undefined;
}

/** The words of an error body: `error` of this API, else `message` where `error` is only a status in words. */
function messageOf(body: unknown, redact: (text: string) => string): string | undefined {
  if (!isObject(body)) return undefined;
  const said = body.success === undefined && typeof body.message === 'string' ? body.message : body.error;
  if (typeof said !== 'string') return undefined;
  return safeText(redact(said), 2000) || undefined;
}
