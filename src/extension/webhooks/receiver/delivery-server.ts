import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import { headerValues } from '../../../contract/raw-headers.ts';
import { ReceivedBytes } from '../../../contract/received-bytes.ts';
import { signatureHeader, signedWith } from '../../../contract/webhooks/webhook-signature.ts';
import type { Verification } from './deliveries.ts';
import type { CommitQueue } from './delivery-store/commit-queue.ts';
import type { StoreResult } from './delivery-store/delivery-store.ts';
import { type ParsedDelivery, parseDelivery } from './parse-delivery.ts';

/** The path that accepts deliveries. */
export const receiverPath = '/webhooks';

/** What requests are checked against. It can change while the server runs. */
export interface ReceiverRules {
  /** The current secret, then the old one if it is still accepted; if empty, nothing is verified. */
  secrets: readonly string[];
  publicHosts: readonly string[];
}

export interface DeliveryServerOptions {
  queue: CommitQueue;
  rules(): ReceiverRules;
  onStored(result: StoreResult, delivery: ParsedDelivery): void;
  /** Called when a request is refused, with the status, the reason and its Host header. */
  onRefused(status: number, error: string, host: string): void;
  now?: () => number;
  /** Milliseconds in which the whole request must arrive. */
  requestTimeoutMs?: number;
}

export type DeliveryServer = Awaited<ReturnType<typeof startDeliveryServer>>;

const requestTimeoutMs = 9_000;
/** Maximum bytes of all bodies being received at the same time. */
const receivingLimit = 128 * 1024 * 1024;
/** How long the sender has to read the response after an early refusal. */
const lingerMs = 1_000;
const verifications: readonly Verification[] = ['verified', 'verified by the old secret'];

/** Starts an HTTP server on 127.0.0.1 that accepts deliveries only. Rejects with Node's error, such as EADDRINUSE. */
export async function startDeliveryServer(port: number, options: DeliveryServerOptions) {
  const { queue, rules, onRefused, onStored, now = Date.now } = options;
  let receiving = 0;

  function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    const { status, error } = refusal;
    onRefused(status, error, headerValues(request, 'host')[0] ?? '');
    if (response.headersSent || response.destroyed) return;
    const body = { success: false, error };
    if (request.complete || isShort(request)) {
      request.resume();
      return respond(response, status, body, refusal.headers);
    }
    // The rest of the request isn't read. The socket stays open for a moment, so that the sender can read the response.
    request.pause();
    const { socket } = request;
    socket.write(rawResponse(status, body, refusal.headers));
    setTimeout(() => socket.destroy(), lingerMs).unref();
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (body === undefined) return;
    if ('error' in body) return refuse(request, response, body);
    const verification = verify(request, body);
    if (!verification) return refuse(request, response, { status: 401, error: 'The signature is missing or invalid.' });
    let parsed: ParsedDelivery;
    try {
      parsed = parseDelivery(body);
    } catch (error) {
      return refuse(request, response, { status: 400, error: (error as Error).message });
    }
    const digest = createHash('sha256').update(body).digest();
    const headers = request.rawHeaders;
    const storing = queue.add({ ...parsed, verification, headers, body, digest, receivedAt: now() });
    if (!storing) return refuse(request, response, busy);
    let result: StoreResult;
    try {
      result = await storing;
    } catch (error) {
      return refuse(request, response, { status: 503, error: `Couldn't store the delivery: ${String(error)}` });
    }
    respond(response, 200, { success: true });
    onStored(result, parsed);
  }

  function verify(request: IncomingMessage, body: Buffer): Verification | undefined {
    const { secrets } = rules();
    if (secrets.length === 0) return 'unverified';
    const values = headerValues(request, signatureHeader.toLowerCase());
    const index = values.length === 1 ? signedWith(body, values[0], secrets) : undefined;
    return index === undefined ? undefined : verifications[Math.min(index, 1)];
  }

  /** Resolves with the whole body; with a refusal if it is too large; with undefined if the sender disconnected. */
  function readBody(request: IncomingMessage): Promise<Buffer | Refusal | undefined> {
    return new Promise((resolve) => {
      const received = new ReceivedBytes();
      let counted = 0;
      const end = (result: Buffer | Refusal | undefined) => {
        receiving -= counted;
        counted = 0;
        request.off('data', onData);
        resolve(result);
      };
      const onData = (chunk: Buffer) => {
        received.push(chunk);
        counted += chunk.length;
        receiving += chunk.length;
        if (counted > bodyLimit) end(tooLarge);
        else if (receiving > receivingLimit) end(busy);
      };
      request.on('data', onData);
      request.once('end', () => end(received.whole()));
      request.once('error', () => end(undefined));
      request.once('close', () => end(undefined));
    });
  }

  const handle = (request: IncomingMessage, response: ServerResponse, expectsContinue = false) => {
    const refusal = checkHead(request, receiverPath, rules().publicHosts);
    if (refusal) return refuse(request, response, refusal);
    if (expectsContinue) response.writeContinue();
    receive(request, response).catch((error: unknown) =>
      refuse(request, response, { status: 500, error: `Internal error: ${String(error)}` }),
    );
  };

  const timeout = options.requestTimeoutMs ?? requestTimeoutMs;
  const server = createServer({
    requestTimeout: timeout,
    headersTimeout: timeout,
    connectionsCheckingInterval: Math.min(500, timeout / 2),
    keepAliveTimeout: 5_000,
    // Host headers are checked in checkHead.
    requireHostHeader: false,
  });
  server.on('request', (request, response) => handle(request, response));
  server.on('checkContinue', (request, response) => handle(request, response, true));
  server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n'));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = statusOfClientError(error.code);
    onRefused(Number(status.slice(0, 3)), error.message, '');
    if (!socket.writable || error.code === 'ECONNRESET') return socket.destroy();
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    setTimeout(() => socket.destroy(), lingerMs).unref();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', backlog: 1024 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        // Deliveries that are being stored get their response first.
        setImmediate(() => setImmediate(() => server.closeAllConnections()));
      }),
  };
}

/** Whether the rest of a request is short enough to read and discard. */
function isShort({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= 64 * 1024;
}

const busy: Refusal = {
  status: 503,
  error: 'Too many deliveries at once. Retry later.',
  headers: { 'retry-after': '10' },
};

function statusOfClientError(code: string | undefined): string {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return '408 Request Timeout';
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  return '400 Bad Request';
}

function respond(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { ...headersOf(text), ...headers });
  response.end(text);
}

function rawResponse(status: number, body: object, headers: Record<string, string> = {}): string {
  const text = JSON.stringify(body);
  const all = Object.entries({ ...headersOf(text), ...headers, connection: 'close' });
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`;
}

function headersOf(text: string): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
}

/** The response to a request that is refused. */
export interface Refusal {
  status: number;
  error: string;
  headers?: Record<string, string>;
}

export type Head = Pick<IncomingMessage, 'rawHeaders' | 'url' | 'method' | 'headers'>;

/** The maximum size of a delivery's body in bytes. */
export const bodyLimit = 10 * 1024 * 1024;

/** Hosts of this machine, with any port, since requests through a tunnel may carry the tunnel's port. */
const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/;

/**
 * Checks the head of a request, in the same way whether or not a secret is set. Returns undefined if it is accepted.
 * @param publicHosts host names (with a port, if any) at which the user has published this receiver
 */
export function checkHead(head: Head, path: string, publicHosts: readonly string[]): Refusal | undefined {
  const hosts = headerValues(head, 'host');
  const host = hosts[0]?.toLowerCase() ?? '';
  if (hosts.length !== 1) return { status: 400, error: 'Expected one Host header.' };
  if (!loopbackHost.test(host) && !publicHosts.includes(host)) {
    return { status: 403, error: "This receiver doesn't accept requests for this host name." };
  }
  const origins = headerValues(head, 'origin');
  const site = headerValues(head, 'sec-fetch-site')[0];
  if (origins.length > 0 || site === 'cross-site' || site === 'same-site') {
    return { status: 403, error: "Requests from web pages aren't accepted." };
  }
  const [target] = (head.url ?? '').split('?');
  if (target !== path && target !== `${path}/`) return { status: 404, error: 'Not found.' };
  if (head.method !== 'POST') return { status: 405, error: 'Expected a POST request.', headers: { allow: 'POST' } };
  const types = headerValues(head, 'content-type');
  if (types.length !== 1 || !/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(types[0] ?? '')) {
    return { status: 415, error: 'Expected Content-Type: application/json.' };
  }
  if (headerValues(head, 'content-encoding').some((encoding) => encoding.toLowerCase() !== 'identity')) {
    return { status: 415, error: 'Expected a body without Content-Encoding.' };
  }
  if (Number(head.headers['content-length'] ?? 0) > bodyLimit) return tooLarge;
  return undefined;
}

export const tooLarge: Refusal = { status: 413, error: `The body is larger than ${bodyLimit} bytes.` };
