import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { signatureHeader, signatureOf } from '../../../contract/webhook-signature.ts';
import type { StoredForwarding } from './deliveries.ts';

export interface ForwardRequest {
  url: string;
  /** Names and values in turn, as the delivery came. */
  headers: readonly string[];
  body: Uint8Array;
  edited: boolean;
  timeoutMs: number;
  signal?: AbortSignal;
  now?: () => number;
}

/** Bytes of a handler's answer that are kept. */
const answerLimit = 1024 * 1024;
/** What belongs to the connection that a delivery came by, and not to the delivery. */
const ofTheConnection = new Set([
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'te', 'trailer', 'upgrade', 'expect'],
  ...['proxy-authorization', 'proxy-connection', 'proxy-authenticate'],
]);

/**
 * Sends a delivery to the developer's own handler: the same bytes, the same headers in their order and spelling.
 * An answer of any status is a result, and so is none. Never rejects; follows no redirect.
 */
export async function forward(wish: ForwardRequest): Promise<Omit<StoredForwarding, 'num'>> {
  const { url, body, edited, timeoutMs, now = Date.now } = wish;
  const requestHeaders = requestHeadersFor(url, wish.headers, body);
  const started = performance.now();
  const sent = { at: now(), url, edited, requestHeaders, requestBody: body };
  const none = { status: undefined, statusText: '', headers: [], body: new Uint8Array(), cut: false };
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = wish.signal ? AbortSignal.any([wish.signal, timeout]) : timeout;
  try {
    const answer = await send(url, { method: 'POST', headers: requestHeaders, signal, agent: false }, body);
    const kept = await read(answer);
    const { statusCode: status, statusMessage: statusText = '', rawHeaders: headers } = answer;
    return { ...sent, ...kept, status, statusText, headers, error: undefined, ms: performance.now() - started };
  } catch (error) {
    const ms = performance.now() - started;
    if (wish.signal?.aborted) return { ...sent, ...none, ms, error: 'given up' };
    if (timeout.aborted) return { ...sent, ...none, ms, error: `no whole answer within ${timeoutMs / 1000} s` };
    return { ...sent, ...none, ms, error: reasonOf(error) };
  }
}

/** The headers of a delivery whose body was changed: signed anew, or not at all without a secret. */
export function resigned(headers: readonly string[], body: Uint8Array, secret: string | undefined): string[] {
  const others = pairs(headers).filter(([name]) => name.toLowerCase() !== signatureHeader.toLowerCase());
  if (secret !== undefined) others.push([signatureHeader, signatureOf(body, secret)]);
  return others.flat();
}

function requestHeadersFor(url: string, headers: readonly string[], body: Uint8Array): string[] {
  const kept = pairs(headers).filter(([name]) => !ofTheConnection.has(name.toLowerCase()));
  return [
    ...['Host', new URL(url).host],
    ...kept.flat(),
    ...['Content-Length', String(body.length), 'Connection', 'close'],
  ];
}

function pairs(headers: readonly string[]): [string, string][] {
  const all: [string, string][] = [];
  for (let index = 0; index + 1 < headers.length; index += 2)
    all.push([headers[index] ?? '', headers[index + 1] ?? '']);
  return all;
}

function send(url: string, options: RequestOptions, body: Uint8Array): Promise<IncomingMessage> {
  const target = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const ask = target.protocol === 'https:' ? httpsRequest : httpRequest;
  // A handler on this machine has a certificate of its own making, if any.
  const ownMachine = ['127.0.0.1', 'localhost', '[::1]'].includes(target.hostname);
  const request = ask(target, { ...options, ...(ownMachine && { rejectUnauthorized: false }) });
  request.once('response', resolve);
  request.on('error', reject);
  request.end(body);
  return promise;
}

async function read(answer: IncomingMessage): Promise<{ body: Uint8Array; cut: boolean }> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    // Leaving the loop ends the transfer.
    if (length > answerLimit) break;
  }
  return { body: Buffer.concat(pieces, length).subarray(0, answerLimit), cut: length > answerLimit };
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (code === 'ENOTFOUND') return 'the host name is not known';
  if (code === 'ECONNRESET') return 'the connection broke off';
  return message || code || 'no answer';
}
