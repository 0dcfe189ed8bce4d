import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isLoopback } from '../../../contract/addresses.ts';
import { headerPairs } from '../../../contract/raw-headers.ts';
import { ReceivedBytes } from '../../../contract/received-bytes.ts';
import { isSignatureHeader, signatureHeaders, signatureOf } from '../../../contract/webhooks/webhook-signature.ts';
import type { StoredForwarding } from './deliveries.ts';
import type { DeliveryStore } from './delivery-store/delivery-store.ts';

export interface ForwardRequest {
  url: string;
  /** Names and values alternating, as received. */
  headers: readonly string[];
  body: Uint8Array;
  edited: boolean;
  timeoutMs: number;
  signal?: AbortSignal;
  now?: () => number;
}

/** Bytes kept of a handler's response. */
const responseLimit = 1024 * 1024;
/** Headers that belong to the connection, not to the delivery. */
const connectionHeaders = new Set([
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'te', 'trailer', 'upgrade', 'expect'],
  ...['proxy-authorization', 'proxy-connection', 'proxy-authenticate'],
]);

/**
 * Sends a delivery to the user's handler with the same bytes and the same headers in their original order and spelling.
 * Resolves with the response, whatever its status, or with the error. Never rejects; doesn't follow redirects.
 */
export async function forward(request: ForwardRequest): Promise<Omit<StoredForwarding, 'num'>> {
  const { url, body, edited, timeoutMs, now = Date.now } = request;
  const headers = requestHeadersFor(url, request.headers, body);
  const started = performance.now();
  const sent = { at: now(), url, edited };
  const none = { status: undefined, statusText: '', headers: [], body: new Uint8Array(), cut: false };
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
  try {
    const response = await send(url, { method: 'POST', headers, signal, agent: false }, body);
    const kept = await read(response);
    const { statusCode: status, statusMessage: statusText = '', rawHeaders } = response;
    const answer = { status, statusText, headers: rawHeaders, error: undefined };
    return { ...sent, ...kept, ...answer, ms: performance.now() - started };
  } catch (error) {
    const ms = performance.now() - started;
    if (request.signal?.aborted) return { ...sent, ...none, ms, error: 'cancelled' };
    if (timeout.aborted) return { ...sent, ...none, ms, error: `no complete response within ${timeoutMs / 1000} s` };
    return { ...sent, ...none, ms, error: reasonOf(error) };
  }
}

/** Returns the headers of a delivery whose body was changed: with a new signature, or without one if there is no secret. */
export function withNewSignature(headers: readonly string[], body: Uint8Array, secret: string | undefined): string[] {
  const others = headerPairs(headers).filter(([name]) => !isSignatureHeader(name));
  if (secret !== undefined) for (const name of signatureHeaders) others.push([name, signatureOf(body, secret)]);
  return others.flat();
}

function requestHeadersFor(url: string, headers: readonly string[], body: Uint8Array): string[] {
  const kept = headerPairs(headers).filter(([name]) => !connectionHeaders.has(name.toLowerCase()));
  return [
    ...['Host', new URL(url).host],
    ...kept.flat(),
    ...['Content-Length', String(body.length), 'Connection', 'close'],
  ];
}

function send(url: string, options: RequestOptions, body: Uint8Array): Promise<IncomingMessage> {
  const target = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const requestFor = target.protocol === 'https:' ? httpsRequest : httpRequest;
  // A handler on this machine has a self-signed certificate, if any.
  const request = requestFor(target, {
    ...options,
    ...(isLoopback(target.hostname) && { rejectUnauthorized: false }),
  });
  request.once('response', resolve);
  request.on('error', reject);
  request.end(body);
  return promise;
}

async function read(response: IncomingMessage): Promise<{ body: Uint8Array; cut: boolean }> {
  const received = new ReceivedBytes();
  for await (const chunk of response as AsyncIterable<Buffer>) {
    received.push(chunk);
    // Leaving the loop aborts the transfer.
    if (received.length > responseLimit) break;
  }
  return { body: received.whole().subarray(0, responseLimit), cut: received.length > responseLimit };
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ENOTFOUND') return 'unknown host';
  if (code === 'ECONNRESET') return 'connection reset';
  return message || code || 'no response';
}

interface Parts {
  store: Pick<DeliveryStore, 'after' | 'newest'>;
  /** Sends a delivery and stores the outcome. */
  send(num: number, url: string, signal: AbortSignal): Promise<unknown>;
  onForwarded(): void;
  onFailure(error: unknown): void;
  /** Milliseconds until the store is read again after a failure. */
  retryMs?: number;
}

/** New deliveries waiting to be forwarded; any more are only recorded. */
const queueLimit = 10_000;

/** Forwards new deliveries to a handler, one at a time and in the order received. A failure delays it and ends nothing. */
export function automaticForwarding({ store, send, onForwarded, onFailure, retryMs = 5_000 }: Parts) {
  let handler: string | undefined;
  let last = 0;
  let running = false;
  let again = false;
  let sending = new AbortController();

  /** Forwards deliveries received from now on to a handler, or none. A handler that is no longer used isn't waited for. */
  function setHandler(url: string | undefined): void {
    if (url === handler) return;
    if (handler === undefined) last = store.newest();
    handler = url;
    sending.abort();
    sending = new AbortController();
    wake();
  }

  /** Looks for deliveries to forward. */
  function wake(): void {
    again = true;
    if (!running) void run();
  }

  async function run(): Promise<void> {
    running = true;
    try {
      while (again && handler !== undefined) {
        again = false;
        const next = store.after(last);
        if (next === undefined) continue;
        again = true;
        last = Math.max(next, store.newest() - queueLimit);
        if (handler === undefined) return;
        // The delivery may have been cleared in the meantime.
        await send(next, handler, sending.signal).catch(onFailure);
        onForwarded();
      }
    } catch (error) {
      onFailure(error);
      setTimeout(wake, retryMs).unref();
    } finally {
      running = false;
    }
  }

  return { setHandler, wake };
}
