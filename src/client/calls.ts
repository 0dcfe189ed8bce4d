import { answerLimitMs, type Endpoint } from '../contract/endpoints.ts';
import { longestAnswer, readAnswer, readText, unexpected } from './answers.ts';
import type { ClientClock } from './clock.ts';
import { connectionFailure } from './connection-failures.ts';
import { ApiError, type CallName, CallTimeoutError, CancelledError, ClientError } from './errors.ts';
import { type PreparedRequest, prepareRequest, type RequestParts } from './requests.ts';
import { defaultRetries, isPassing, retryWaitMs } from './retry.ts';

/** What the client asks of a `fetch`: the global one fits. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    signal: AbortSignal;
    redirect: 'manual';
  },
) => Promise<Response>;

/** Options of one call. */
export interface CallOptions {
  /** Ends the call with a CancelledError. */
  signal?: AbortSignal | undefined;
  /** Further headers, such as the run's id on the embedded service. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds for each try, in place of the call's own limit. */
  timeoutMs?: number | undefined;
  /** How often a GET or DELETE is tried again, 2 where left out. A POST never is. */
  retries?: number | undefined;
}

/** What every call of one client shares. */
export interface CallContext {
  server: { baseUrl: string; host: string; apiKey: string | undefined };
  fetch: Fetch;
  longFetch: Fetch;
  clock: ClientClock;
  random: () => number;
  redact: (text: string) => string;
}

/** Limit up to which the global fetch is used: it gives up on headers after 300 s, with no way to say otherwise. */
const shortCallMs = 75_000;

/**
 * One call of an endpoint, with its retries.
 * @throws ClientError and nothing else
 */
export async function callEndpoint(
  context: CallContext,
  name: string,
  entry: Endpoint,
  parts: RequestParts,
  options: CallOptions,
): Promise<unknown> {
  const request = prepareRequest(context.server, name, entry, parts, options.headers);
  const limitMs = options.timeoutMs ?? answerLimitMs(entry, parts.body);
  const retries = entry.method === 'POST' ? 0 : (options.retries ?? defaultRetries);
  let answerWasLost = false;
  for (let attempt = 0; ; attempt++) {
    try {
      return await attemptOnce(context, entry, request, limitMs, options.signal);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (answerWasLost && isGone(error)) return entry.response.parse({ success: true });
      if (attempt >= retries || !isPassing(error)) throw error;
      answerWasLost ||= error.outcomeUnknown;
      await wait(context, retryWaitMs(attempt + 1, error, context.random), request.call, options.signal);
    }
  }
}

/** A DELETE that finds nothing after a first one whose answer was lost has done its work. */
function isGone(error: ClientError): boolean {
  return error instanceof ApiError && error.call?.method === 'DELETE' && (error.status === 404 || error.status === 410);
}

async function attemptOnce(
  context: CallContext,
  entry: Endpoint,
  request: PreparedRequest,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { call } = request;
  if (signal?.aborted) throw new CancelledError(call, false);
  const connection = new AbortController();
  const stopped = Promise.withResolvers<never>();
  const stop = (error: ClientError) => {
    stopped.reject(error);
    connection.abort();
  };
  const onAbort = () => stop(new CancelledError(call, true));
  signal?.addEventListener('abort', onAbort, { once: true });
  const disarm = context.clock.after(limitMs, () => stop(new CallTimeoutError(call, limitMs)));
  try {
    // A race, so that cancelling works at once whatever the fetch does.
    return await Promise.race([exchange(context, entry, request, limitMs, connection), stopped.promise]);
  } finally {
    disarm();
    signal?.removeEventListener('abort', onAbort);
  }
}

async function exchange(
  context: CallContext,
  entry: Endpoint,
  { call, url, headers, body }: PreparedRequest,
  limitMs: number,
  connection: AbortController,
): Promise<unknown> {
  // A POST needs a connection of its own: a lost answer must never come from a kept connection that was dead already.
  const send = entry.method === 'POST' || limitMs > shortCallMs ? context.longFetch : context.fetch;
  let response: Response;
  let text: string | undefined;
  try {
    response = await send(url, {
      method: entry.method,
      headers,
      ...(body !== undefined && { body }),
      signal: connection.signal,
      redirect: 'manual',
    });
    text = await readText(response);
  } catch (thrown) {
    throw connectionFailure(thrown, call, context.redact);
  }
  const answer = { status: response.status, headers: response.headers, text: text ?? '' };
  if (text === undefined) {
    connection.abort();
    throw unexpected(call, answer, `it is longer than ${longestAnswer / 1024 / 1024} MiB`, context.redact);
  }
  return readAnswer(call, entry, answer, {
    redact: context.redact,
    hasKey: context.server.apiKey !== undefined,
    now: context.clock.now(),
  });
}

function wait(context: CallContext, ms: number, call: CallName, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.reject(new CancelledError(call, true));
  return new Promise((resolve, reject) => {
    const done = () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    };
    const disarm = context.clock.after(ms, done);
    const onAbort = () => {
      disarm();
      reject(new CancelledError(call, true));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
