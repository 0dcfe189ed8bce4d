import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Endpoint } from '../contract/endpoints.ts';
import { describeIssues } from '../contract/errors.ts';
import { isObject, jsonIn } from '../contract/lenient-texts.ts';
import { ApiError, type CallName, UnexpectedResponseError } from './errors.ts';
import { JsonSize } from './json-size.ts';
import { parseLeniently } from './parse-leniently.ts';
import { parseRetryAfter } from './retry.ts';
import { safeLine, safeText } from './safe-text.ts';

/** Maximum size of a response body, in bytes, and of its JSON, in values. */
const [maxBodyBytes, maxBodyValues] = [64 * 1024 * 1024, 2_000_000];

/** A response with its body as text, whatever its content type. */
export interface RawResponse {
  status: number;
  headers: Headers;
  text: string;
}

/** Reads a whole body as text, or says why it is too large. Rejects when the stream fails. */
export async function readText(response: Response): Promise<{ text: string } | { problem: string }> {
  const reader = response.body?.getReader();
  if (!reader) return { text: '' };
  const size = new JsonSize();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode() };
    bytes += value.byteLength;
    size.add(value);
    if (bytes > maxBodyBytes || size.values > maxBodyValues) {
      reader.cancel().catch(() => {});
      return {
        problem:
          bytes > maxBodyBytes
            ? l10n.t('the body is larger than {0} MiB', maxBodyBytes / 1024 / 1024)
            : l10n.t('the body has more than {0} values', maxBodyValues.toLocaleString('en-US')),
      };
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
export async function readResponse(
  call: CallName,
  entry: Endpoint,
  response: RawResponse,
  context: ResponseContext,
): Promise<unknown> {
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
  const parsed = await parseLeniently(entry.response, value);
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

/** Places of a list that are shown. */
const maxSearched = 100;

/** Returns where a service looked for a browser that it didn't find. */
function searchedPlaces(body: unknown, redact: (text: string) => string): string[] {
  const details = isObject(body) && isObject(body.details) ? body.details : {};
  const { searched } = details;
  if (!Array.isArray(searched)) return [];
  return searched
    .slice(0, maxSearched)
    .flatMap((place) => (typeof place === 'string' ? safeLine(redact(place), 1_000) : []));
}

/** Errors that don't say what is wrong with a request; the details do. */
const generalErrors = /^(Bad Request$|Unrecognized key in body)/;

/** Issues of an error that are read; fewer are told. */
const maxIssues = 20;

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
    .safeParse(Array.isArray(details) ? details.slice(0, maxIssues) : details);
  return issues.success ? describeIssues(issues.data as unknown as z.core.$ZodIssue[]) : undefined;
}
