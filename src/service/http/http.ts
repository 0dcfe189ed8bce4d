import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { embeddedEndpoints, linkPath } from '../../contract/embedded.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { limits } from '../../contract/limits.ts';
import { messageOf, ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import { bindEndpoints, type Handlers } from './bind.ts';
import type { Capabilities } from './capabilities.ts';
import { judgeOrigin, type PageAllowance, type Refusal, refuseUpgrade, safeHeaders } from './guards.ts';
import { type Caller, isRefusal, type Keys } from './keys.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
}

/** Takes a link's socket once its caller is known. */
export type LinkHandler = (request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller) => void;

/** Pages for people, whose addresses are capability URLs. */
export interface Pages {
  /** What is let through on a path that belongs to pages; undefined for every other path. */
  allowance(path: string): PageAllowance | undefined;
  /** Answers a request on such a path. */
  answer(request: IncomingMessage, response: ServerResponse, path: string): void;
}

/** Sockets on paths of the API, for callers with a key. */
export interface Watches {
  /** Whether sockets are taken at this path. */
  serves(path: string): boolean;
  /** Takes the socket, or says why not. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, path: string, caller: Caller): Refusal | undefined;
}

export interface ServerOptions {
  keys: Keys;
  capabilities: Capabilities;
  handlers: Partial<Handlers>;
  onLink: LinkHandler;
  pages: Pages;
  watches: Watches;
  log: Log;
}

export interface HttpServer {
  readonly port: number;
  readonly app: FastifyInstance;
  close(): Promise<void>;
}

const callers = new WeakMap<IncomingMessage, Caller>();

/** Starts to listen on 127.0.0.1, and nowhere else. Rejects with Node's error when the port is taken. */
export async function startServer(port: number, options: ServerOptions): Promise<HttpServer> {
  let server: Server | undefined;
  const listeningPort = () => {
    const address = server?.address();
    return typeof address === 'object' && address ? address.port : 0;
  };
  const app = Fastify({
    bodyLimit: limits.body,
    exposeHeadRoutes: false,
    serverFactory: (handler) => {
      server = createGuardedServer(handler, listeningPort, options);
      return server;
    },
  });
  acceptJsonOnly(app);
  app.decorateRequest('caller');
  app.addHook('onRequest', async (request) => {
    const caller = callers.get(request.raw);
    if (caller) request.caller = caller;
  });
  app.setErrorHandler((error: FastifyError | ServiceError, request, reply) => {
    const { status, body } = errorAnswer(error);
    if (status >= 500 && status !== 501 && status !== 503) {
      options.log.error(
        { method: request.method, route: request.routeOptions.url, reason: messageOf(error) },
        'a request failed',
      );
    }
    return reply.code(status).send(body);
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ success: false, error: 'There is nothing at this path.' }),
  );
  bindEndpoints(app, { ...endpoints, ...embeddedEndpoints }, options.handlers);
  await app.listen({ port, host: '127.0.0.1' });
  return { port: listeningPort(), app, close: () => app.close() };
}

/** The HTTP server itself: every request and upgrade passes its guards before any route, parser or handler sees it. */
function createGuardedServer(handler: RequestListener, port: () => number, options: ServerOptions): Server {
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2_000 },
    (request, response) => {
      for (const [name, value] of Object.entries(safeHeaders)) response.setHeader(name, value);
      const path = pathOf(request);
      const page = options.pages.allowance(path);
      const judged =
        judgeOrigin(request, port(), page) ?? (page ? undefined : authenticate(request, path, options.keys));
      if (!judged) return options.pages.answer(request, response, path);
      if (isRefusal(judged)) {
        const body = JSON.stringify({ success: false, error: judged.error });
        response
          .writeHead(judged.status, { 'content-type': 'application/json; charset=utf-8', connection: 'close' })
          .end(body);
        return;
      }
      callers.set(request, judged);
      handler(request, response);
    },
  );
  server.maxConnections = 2_000;
  server.keepAliveTimeout = 65_000;
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const refusal = upgrade(request, socket, head, port(), options);
    if (refusal) refuseUpgrade(socket, refusal);
  });
  return server;
}

function authenticate(request: IncomingMessage, path: string, keys: Keys): Caller | Refusal {
  // The proof comes before the key: it is how a window learns that it may send it.
  if (path === embeddedEndpoints.prove.path) return { team: '', keyLabel: '' };
  return keys.authenticate(request.headers.authorization);
}

function upgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  port: number,
  options: ServerOptions,
): Refusal | undefined {
  const path = pathOf(request);
  const refusal = judgeOrigin(request, port, options.pages.allowance(path));
  if (refusal) return refusal;
  const capability = options.capabilities.find(path);
  if (capability === 'gone') return { status: 410, error: 'The session of this URL has ended.' };
  if (capability) return void capability.upgrade(request, socket, head);
  const watched = options.watches.serves(path);
  const caller = options.keys.authenticate(
    request.headers.authorization ?? (watched ? protocolKey(request) : undefined),
  );
  if (isRefusal(caller)) return caller;
  if (watched) return options.watches.upgrade(request, socket, head, path, caller);
  if (path !== linkPath) return { status: 404, error: 'There is no WebSocket at this path.' };
  return void options.onLink(request, socket, head, caller);
}

/** The key of a client that cannot set headers on a WebSocket: it travels as the subprotocol. */
function protocolKey(request: IncomingMessage): string | undefined {
  const [first] = (request.headers['sec-websocket-protocol'] ?? '').split(',');
  return first ? `Bearer ${first.trim()}` : undefined;
}

function pathOf(request: IncomingMessage): string {
  const url = request.url ?? '';
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** JSON bodies only, whole and in UTF-8; an empty one is no body. */
function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') {
      return done(
        new ServiceError(415, `A body with Content-Encoding ${encoding.slice(0, 40)} is not accepted; send it plain.`),
      );
    }
    if (body.length === 0) return done(null, undefined);
    try {
      done(null, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body as Buffer)));
    } catch {
      done(new ServiceError(400, 'Bad request, malformed JSON', { code: 'BAD_REQUEST_INVALID_JSON' }));
    }
  });
}

function errorAnswer(error: FastifyError | ServiceError): { status: number; body: object } {
  if (error instanceof ServiceError) {
    const { code, details } = error;
    return {
      status: error.status,
      body: { success: false, error: error.message, ...(code && { code }), ...(details !== undefined && { details }) },
    };
  }
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return {
      status: 413,
      body: {
        success: false,
        error: `Request body is too large: at most ${limits.body / 1024 / 1024} MiB are accepted.`,
      },
    };
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return {
      status: 415,
      body: { success: false, error: 'Only JSON bodies are accepted: send Content-Type: application/json.' },
    };
  }
  const status =
    error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500 ? error.statusCode : 500;
  if (status < 500)
    return { status, body: { success: false, error: error.message, ...(error.code && { code: error.code }) } };
  return {
    status,
    body: { success: false, code: 'UNKNOWN_ERROR', error: 'The service failed to answer; its log says why.' },
  };
}
