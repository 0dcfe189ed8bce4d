import type { ClientRequest, IncomingMessage } from 'node:http';
import { isLoopback } from '../contract/addresses.ts';
import { headerPairs } from '../contract/raw-headers.ts';

/** Options of `longFetch`: a part of fetch's. Redirects are never followed. */
export interface LongFetchInit {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array<ArrayBuffer>;
  signal?: AbortSignal;
  redirect?: 'manual';
}

/** Statuses whose responses have no body. */
const withoutBody = new Set([204, 205, 304]);
const keepAliveProbeMs = 30_000;

/**
 * A fetch without a timeout, on its own connection, for calls that may take longer than the global fetch allows.
 * It goes through `node:http` and `node:https`, whose request functions VS Code replaces to serve proxies and certificates.
 */
export async function longFetch(url: string, init: LongFetchInit = {}): Promise<Response> {
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
  return new Response(toStream(request, incoming), { status, headers });
}

/** The body as a stream with backpressure, which fails when the connection closes too early. */
function toStream(request: ClientRequest, incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let open = true;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const fail = (error: Error) => {
          if (!open) return;
          open = false;
          controller.error(error);
        };
        incoming.on('data', (chunk: Buffer) => {
          if (!open) return;
          controller.enqueue(new Uint8Array(chunk));
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
        });
        incoming.on('end', () => {
          if (!open) return;
          open = false;
          controller.close();
        });
        incoming.on('error', fail);
        request.on('error', fail);
        incoming.on('close', () =>
          fail(
            Object.assign(new Error('The connection closed before the response was complete'), { code: 'ECONNRESET' }),
          ),
        );
      },
      pull() {
        incoming.resume();
      },
      cancel() {
        open = false;
        request.destroy();
      },
    },
    { highWaterMark: 1024 * 1024, size: (chunk) => chunk?.byteLength ?? 0 },
  );
}
