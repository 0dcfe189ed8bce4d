import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import { headerValues } from '../../../contract/raw-headers.ts';
import { signatureHeader, signedWith } from '../../../contract/webhook-signature.ts';
import type { Verification } from './deliveries.ts';
import type { CommitQueue } from './delivery-store/commit-queue.ts';
import type { Stored } from './delivery-store/delivery-store.ts';
import { bodyLimit, judgeHead, type Refusal, tooLarge } from './guards.ts';
import { type ParsedDelivery, parseDelivery } from './parse-delivery.ts';

/** The path at which deliveries are taken. */
export const receiverPath = '/webhooks';

/** What the receiver judges by; it may change while it listens. */
export interface ReceiverRules {
  /** The secret, then the one before it while both count; none: nothing is verified. */
  secrets: readonly string[];
  publicHosts: readonly string[];
}

export interface ReceiverOptions {
  queue: CommitQueue;
  rules(): ReceiverRules;
  onStored(stored: Stored, delivery: ParsedDelivery): void;
  /** A request was turned away: its status, why, and under which Host it came. */
  onRefused(status: number, error: string, host: string): void;
  now?: () => number;
  /** Milliseconds for a whole request to arrive. */
  requestTimeoutMs?: number;
}

export interface Receiver {
  readonly port: number;
  close(): Promise<void>;
}

const requestTimeoutMs = 9_000;
/** Bytes of bodies that may be arriving at a time, in all requests together. */
const arrivingLimit = 128 * 1024 * 1024;
/** After an early refusal its sender gets this long to read the answer. */
const lingerMs = 1_000;
const verifications: readonly Verification[] = ['verified', 'verified by the old secret'];

/** Listens on 127.0.0.1 for deliveries, and nothing else. Rejects with Node's error, such as EADDRINUSE. */
export async function startReceiver(port: number, options: ReceiverOptions): Promise<Receiver> {
  const { queue, rules, onRefused, onStored, now = Date.now } = options;
  let arriving = 0;

  function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    const { status, error } = refusal;
    onRefused(status, error, headerValues(request, 'host')[0] ?? '');
    if (response.headersSent || response.destroyed) return;
    const body = { success: false, error };
    if (request.complete || isShort(request)) {
      request.resume();
      return answer(response, status, body, refusal.headers);
    }
    // Whoever still sends is not read any more. To close at once would take the answer away from under its eyes.
    request.pause();
    const { socket } = request;
    socket.write(rawAnswer(status, body, refusal.headers));
    setTimeout(() => socket.destroy(), lingerMs).unref();
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (body === undefined) return;
    if ('error' in body) return refuse(request, response, body);
    const verification = verify(request, body);
    if (!verification) return refuse(request, response, { status: 401, error: 'The signature is missing or wrong.' });
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
    let stored: Stored;
    try {
      stored = await storing;
    } catch (error) {
      return refuse(request, response, { status: 503, error: `The delivery could not be stored: ${String(error)}` });
    }
    answer(response, 200, { success: true });
    onStored(stored, parsed);
  }

  function verify(request: IncomingMessage, body: Buffer): Verification | undefined {
    const { secrets } = rules();
    if (secrets.length === 0) return 'unverified';
    const values = headerValues(request, signatureHeader.toLowerCase());
    const index = values.length === 1 ? signedWith(body, values[0], secrets) : undefined;
    return index === undefined ? undefined : verifications[Math.min(index, 1)];
  }

  /** The whole body; a refusal when it is too long; undefined when its sender went away. */
  function readBody(request: IncomingMessage): Promise<Buffer | Refusal | undefined> {
    return new Promise((resolve) => {
      const pieces: Buffer[] = [];
      let length = 0;
      const end = (result: Buffer | Refusal | undefined) => {
        arriving -= length;
        length = 0;
        request.off('data', take);
        resolve(result);
      };
      const take = (piece: Buffer) => {
        pieces.push(piece);
        length += piece.length;
        arriving += piece.length;
        if (length > bodyLimit) end(tooLarge);
        else if (arriving > arrivingLimit) end(busy);
      };
      request.on('data', take);
      request.once('end', () => end(Buffer.concat(pieces, length)));
      request.once('error', () => end(undefined));
      request.once('close', () => end(undefined));
    });
  }

  const handle = (request: IncomingMessage, response: ServerResponse, expectsContinue = false) => {
    const refusal = judgeHead(request, receiverPath, rules().publicHosts);
    if (refusal) return refuse(request, response, refusal);
    if (expectsContinue) response.writeContinue();
    receive(request, response).catch((error: unknown) =>
      refuse(request, response, { status: 500, error: `The receiver failed: ${String(error)}` }),
    );
  };

  const timeout = options.requestTimeoutMs ?? requestTimeoutMs;
  const server = createServer({
    requestTimeout: timeout,
    headersTimeout: timeout,
    connectionsCheckingInterval: Math.min(500, timeout / 2),
    keepAliveTimeout: 5_000,
    // The receiver judges them itself.
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
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        // What is being stored gets its answer first.
        setImmediate(() => setImmediate(() => server.closeAllConnections()));
      }),
  };
}

/** Whether what is still to come of a request is soon read and thrown away. */
function isShort({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= 64 * 1024;
}

const busy: Refusal = {
  status: 503,
  error: 'Too many deliveries arrive at once; send this one again later.',
  headers: { 'retry-after': '10' },
};

function statusOfClientError(code: string | undefined): string {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return '408 Request Timeout';
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  return '400 Bad Request';
}

function answer(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { ...headersOf(text), ...headers });
  response.end(text);
}

function rawAnswer(status: number, body: object, headers: Record<string, string> = {}): string {
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
