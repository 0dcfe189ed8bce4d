import { type Endpoint, responseLimitMs } from '../contract/endpoints.ts';
import type { ClientClock } from './clock.ts';
import { connectionFailure } from './connection-failures.ts';
import { ApiError, type CallName, CallTimeoutError, CancelledError, ClientError } from './errors.ts';
import { type PreparedRequest, prepareRequest, type RequestParts } from './requests.ts';
import { readResponse, readText, unexpected } from './responses.ts';
import { defaultRetries, isTransient, retryWaitMs } from './retry.ts';

/** The part of `fetch` that the client needs; the global one has it. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string | Uint8Array<ArrayBuffer>;
    signal: AbortSignal;
    redirect: 'manual';
  },
) => Promise<Response>;

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call, which rejects with a CancelledError. */
  signal?: AbortSignal | undefined;
  /** Additional headers, such as the run's id on the embedded service. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Timeout of each attempt in milliseconds, instead of the endpoint's own. Infinity for none. */
  timeoutMs?: number | undefined;
  /** Maximum retries of a GET or DELETE, 2 by default. A POST is never retried. */
  retries?: number | undefined;
}

/** What all calls of a client share. */
export interface CallContext {
  server: { baseUrl: string; host: string; apiKey: string | undefined; isOwn: boolean };
  fetch: Fetch;
  longFetch: Fetch;
  clock: ClientClock;
  random: () => number;
  redact: (text: string) => string;
}

/** Longer calls do not use the global fetch, whose 300 s timeout for headers cannot be changed. */
const shortCallMs = 75_000;

/**
 * Calls an endpoint, with retries.
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
  const limitMs = options.timeoutMs ?? responseLimitMs(entry, parts.body);
  const retries = entry.method === 'POST' ? 0 : (options.retries ?? defaultRetries);
  let responseWasLost = false;
  for (let attempt = 0; ; attempt++) {
    try {
      return await attemptOnce(context, entry, request, limitMs, options.signal);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (responseWasLost && isGone(error)) return entry.response.parse({ success: true });
      if (attempt >= retries || !isTransient(error)) throw error;
      responseWasLost ||= error.outcomeUnknown;
      await wait(context, retryWaitMs(attempt + 1, error, context.random), request.call, options.signal);
    }
  }
}

/** A DELETE that is retried after a lost response has succeeded when nothing is left to delete. */
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
  const late = () => stop(new CallTimeoutError(call, limitMs));
  const disarm = Number.isFinite(limitMs) ? context.clock.after(limitMs, late) : undefined;
  try {
    // A race, so that canceling takes effect at once whatever the fetch does.
    return await Promise.race([exchange(context, entry, request, limitMs, connection), stopped.promise]);
  } finally {
    disarm?.();
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
  // A POST needs its own connection: on a kept-alive one that the server has closed, its outcome would be unknown.
  const send = entry.method === 'POST' || limitMs > shortCallMs ? context.longFetch : context.fetch;
  let response: Response;
  let read: Awaited<ReturnType<typeof readText>>;
  try {
    response = await send(url, {
      method: entry.method,
      headers,
      ...(body !== undefined && { body }),
      signal: connection.signal,
      redirect: 'manual',
    });
    read = await readText(response);
  } catch (thrown) {
    throw connectionFailure(thrown, call, context.redact);
  }
  const raw = { status: response.status, headers: response.headers, text: 'text' in read ? read.text : '' };
  if ('problem' in read) {
    connection.abort();
    throw unexpected(call, raw, read.problem, context.redact);
  }
  return await readResponse(call, entry, raw, {
    redact: context.redact,
    hasKey: context.server.apiKey !== undefined,
    now: context.clock.now(),
  });
}

async function wait(context: CallContext, ms: number, call: CallName, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) throw new CancelledError(call, true);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => reject(new CancelledError(call, true));
  const disarm = context.clock.after(ms, resolve);
  signal?.addEventListener('abort', onAbort, { once: true });
  await promise.finally(() => {
    disarm();
    signal?.removeEventListener('abort', onAbort);
  });
}
