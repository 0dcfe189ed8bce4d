import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { isLoopback } from '../contract/addresses.ts';
import { headerPairs } from '../contract/raw-headers.ts';
import type { Fetch } from './calls.ts';

/** Statuses whose responses have no body. */
const withoutBody = new Set([204, 205, 304]);
const keepAliveProbeMs = 30_000;
/** How much of a body waits for its reader. */
const bodyQueue = { highWaterMark: 1024 * 1024, size: (chunk: Uint8Array) => chunk.byteLength };

/**
 * A fetch without a timeout, on its own connection, for calls that may take longer than the global fetch allows.
 * It goes through `node:http` and `node:https`, whose request functions VS Code replaces to serve proxies and certificates.
 * Redirects are never followed.
 */
export async function longFetch(url: string, init: Partial<Parameters<Fetch>[1]> = {}): Promise<Response> {
  const target = new URL(url);
  // The default export is the module object that VS Code patches, and is loaded at the first call.
  const { default: transport } = target.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const { signal } = init;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = transport.request(target, {
      method: init.method ?? 'GET',
      headers: { ...init.headers, 'accept-encoding': 'identity', connection: 'close' },
      // For other hosts, an agent would keep VS Code from choosing the proxy.
      agent: isLoopback(target.hostname) ? false : undefined,
    });
    const onAbort = () => request.destroy(new DOMException('The call was aborted', 'AbortError'));
    signal?.addEventListener('abort', onAbort, { once: true });
    request.once('close', () => signal?.removeEventListener('abort', onAbort));
    request.on('error', reject);
    request.on('socket', (socket) => socket.setKeepAlive?.(true, keepAliveProbeMs));
    request.on('response', (incoming) => {
      try {
        resolve(toResponse(request, incoming));
      } catch (error) {
        request.destroy();
        reject(error);
      }
    });
    request.end(init.body);
  });
}

function toResponse(request: ClientRequest, incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 0;
  const headers = new Headers(headerPairs(incoming.rawHeaders));
  if (withoutBody.has(status)) {
    incoming.resume();
    return new Response(null, { status, headers });
  }
  // Of an aborted call, the response itself would only report that the connection closed.
  request.on('error', (error) => incoming.destroy(error));
  const body = Readable.toWeb(incoming, { strategy: bodyQueue }) as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Response(body, { status, headers });
}
