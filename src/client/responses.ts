import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Endpoint } from '../contract/endpoints.ts';
import { describeIssues } from '../contract/errors.ts';
import { isObject, jsonIn } from '../contract/lenient-texts.ts';
import { ApiError, type CallName, UnexpectedResponseError } from './errors.ts';
import { parseRetryAfter } from './retry.ts';
import { safeLine, safeText } from './safe-text.ts';

/** Maximum size of a response body, in bytes. */
export const maxBodyBytes = 64 * 1024 * 1024;

/** A response with its body as text, whatever its content type. */
export interface RawResponse {
  status: number;
  headers: Headers;
  text: string;
}

/** Reads a whole body as text; undefined when it is larger than `maxBodyBytes`. Rejects when the stream fails. */
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
    if (bytes > maxBodyBytes) {
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Creates the error for a response that is not one of this API, with the first 200 characters of its body. */
export function unexpected(call: CallName, response: RawResponse, problem: string, redact: (text: string) => string) {
  return new UnexpectedResponseError(call, {
    status: response.status,
    problem: redact(problem),
    bodyStart: safeLine(redact(response.text.slice(0, 8192)).slice(0, 200), 200),
    outcomeUnknown: response.status < 300 || response.status >= 500,
  });
}

/**
 * Returns the value of a response.
 * Unknown fields pass through; an optional field of the wrong type is dropped.
 * @throws ApiError when the server reports an error, UnexpectedResponseError when the response is not one of this API
 */
export function readResponse(
  call: CallName,
  entry: Endpoint,
  response: RawResponse,
  context: ResponseContext,
): unknown {
  const { status } = response;
  const fail = (problem: string) => unexpected(call, response, problem, context.redact);
  if (status >= 400) throw apiError(call, entry, response, jsonIn(response.text), context);
  if (status >= 300) throw fail(describeRedirect(response.headers.get('location')));
  const value = jsonIn(response.text);
  if (value === undefined) throw fail(describeNonJson(response.text));
  if (!isObject(value)) throw fail(l10n.t('expected a JSON object'));

  const shape = entry.response instanceof z.ZodObject ? entry.response.shape : undefined;
  if (value.success === false && typeof value.error === 'string' && !(shape && 'error' in shape)) {
    throw apiError(call, entry, response, value, context);
  }
  if (shape && !Object.keys(shape).some((field) => Object.hasOwn(value, field))) {
    throw fail(l10n.t('the JSON object has none of the expected fields'));
  }
  const parsed = parseLeniently(entry.response, value);
  if ('problem' in parsed) throw fail(parsed.problem);
  return parsed.data;
}

export interface ResponseContext {
  redact: (text: string) => string;
  hasKey: boolean;
  now: number;
}

function describeNonJson(text: string): string {
  if (text.trim() === '') return l10n.t('the body is empty');
  if (/^\s*<(!doctype|html|\?xml)/i.test(text)) return l10n.t('expected JSON, got a web page');
  return l10n.t('expected JSON, got something else');
}

function describeRedirect(location: string | null): string {
  if (!location) return l10n.t('it is a redirect without a location');
  if (!URL.canParse(location))
    return l10n.t(
      "it redirects to {0}; redirects aren't followed",
      safeLine(location.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//'), 200),
    );
  const { protocol, host, pathname } = new URL(location);
  return l10n.t(
    "it redirects to {0}, which isn't followed; use that address if it is the right server",
    safeLine(`${protocol}//${host}${pathname}`, 200),
  );
}

/** Parses, dropping optional fields of the wrong type until the rest is valid. */
function parseLeniently(schema: z.ZodType, value: Record<string, unknown>): { data: unknown } | { problem: string } {
  for (let round = 0; ; round++) {
    const result = schema.safeParse(value);
    if (result.success) return { data: result.data };
    const { issues } = result.error;
    const droppedAll = round < 3 && issues.every((issue) => drop(value, issue.path));
    if (!droppedAll) return { problem: safeLine(describeIssues(issues), 300) };
  }
}

/** Removes the field at `path`, or the nearest field around a list item; false when there is none. */
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
  // Already removed with a field around it.
  if (!isObject(parent)) return true;
  if (!Object.hasOwn(parent, field)) return length !== path.length;
  delete parent[field];
  return true;
}

const meanings: Readonly<Record<number, string>> = {
  400: l10n.t('the server rejected the request as invalid'),
  402: l10n.t('not enough credits'),
  403: l10n.t("this API key doesn't allow it"),
  404: l10n.t('not found'),
  405: l10n.t("the server doesn't support this"),
  408: l10n.t('the server timed out'),
  409: l10n.t('it conflicts with another operation'),
  410: l10n.t('it no longer exists'),
  413: l10n.t('the request is too large'),
  415: l10n.t("the server doesn't accept JSON"),
  429: l10n.t('too many requests'),
  500: l10n.t('the server failed'),
  501: l10n.t("the server doesn't support this"),
  502: l10n.t('an upstream server failed'),
  503: l10n.t('the service is unavailable'),
  504: l10n.t("an upstream server didn't respond in time"),
};

function apiError(call: CallName, entry: Endpoint, response: RawResponse, body: unknown, context: ResponseContext) {
  const { status } = response;
  const serverMessage = messageOf(body, context.redact);
  const code = isObject(body) && typeof body.code === 'string' ? safeLine(context.redact(body.code), 100) : undefined;
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), context.now);
  // A 5xx that is not in the format of this API comes from a proxy, which the contract does not describe.
  const contractMeaning = status < 500 || isObject(body) ? entry.errors[status] : undefined;
  // Without a body of this API, the server doesn't know the path at all, not only what it names.
  const lacksRoute = status === 404 && !isObject(body);
  const meaning =
    status === 401
      ? authentication(context.hasKey)
      : lacksRoute
        ? l10n.t("this server doesn't offer it")
        : (contractMeaning ?? meanings[status]);
  return new ApiError(call, {
    status,
    sentence:
      serverMessage ??
      meaning ??
      (status < 500 ? l10n.t('the server rejected the request') : l10n.t('the server failed')),
    hint: hintFor(status, serverMessage !== undefined, retryAfterMs, context.hasKey),
    serverMessage,
    code,
    retryAfterMs,
    searched: searchedPlaces(body, context.redact),
    // The service's own error is final; a proxy does not know what happened behind it.
    outcomeUnknown: status === 408 || (status >= 500 && serverMessage === undefined),
  });
}

function authentication(hasKey: boolean): string {
  return hasKey ? l10n.t('the server rejected the API key') : l10n.t('the server requires an API key');
}

function hintFor(status: number, hasMessage: boolean, retryAfterMs: number | undefined, hasKey: boolean) {
  if (status === 401) return hasKey ? l10n.t('Check the API key.') : l10n.t('Enter an API key for this server.');
  if (retryAfterMs !== undefined) return l10n.t('Try again in {0} s.', Math.ceil(retryAfterMs / 1000));
  if (status === 429) return l10n.t('Wait a moment, then try again.');
  if (status === 404 && !hasMessage) return l10n.t('Check that this is the address of a web data server.');
  return undefined;
}

/** The message of an error body: `error` in this API, or `message` where `error` is only the text of the status. */
function messageOf(body: unknown, redact: (text: string) => string): string | undefined {
  if (!isObject(body)) return undefined;
  const message = body.success === undefined && typeof body.message === 'string' ? body.message : body.error;
  if (typeof message !== 'string') return undefined;
  const said = generalErrors.test(message) ? (describeDetails(body.details) ?? message) : message;
  return safeText(redact(said), 800) || undefined;
}

/** Returns where a service looked for a browser that it didn't find. */
function searchedPlaces(body: unknown, redact: (text: string) => string): string[] {
  const details = isObject(body) && isObject(body.details) ? body.details : {};
  const { searched } = details;
  if (!Array.isArray(searched)) return [];
  return searched.flatMap((place) => (typeof place === 'string' ? safeLine(redact(place), 1_000) : []));
}

/** Errors that don't say what is wrong with a request; the details do. */
const generalErrors = /^(Bad Request$|Unrecognized key in body)/;

/** Describes the issues in the details of an error; undefined if they are something else. */
function describeDetails(details: unknown): string | undefined {
  const issues = z
    .array(
      z.looseObject({
        code: z.string(),
        message: z.string(),
        path: z.array(z.union([z.string(), z.number()])),
        keys: z.array(z.string()).default([]),
      }),
    )
    .min(1)
    .safeParse(details);
  return issues.success ? describeIssues(issues.data as unknown as z.core.$ZodIssue[]) : undefined;
}
