import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { embeddedEndpoints, linkPath } from '../../../contract/embedded.ts';
import { endpoints } from '../../../contract/endpoints.ts';
import { limits } from '../../../contract/limits.ts';
import { mcpPath } from '../../../contract/mcp/mcp.ts';
import { requestIdHeader } from '../../../contract/operations.ts';
import { shorten } from '../../../contract/shorten.ts';
import { workingFor } from '../asker.ts';
import { nextTurn } from '../async.ts';
import { messageOf, ServiceError } from '../errors.ts';
import type { Peers } from '../fleet/peers.ts';
import type { Log } from '../log.ts';
import { inRequest, requestIdOf } from '../request-scope.ts';
import { storageError } from '../storage/storage.ts';
import type { AddressOptions, ServiceAddress } from './address.ts';
import { bindEndpoints, type Handlers, onlyJson } from './bind.ts';
import { type Capabilities, sessionOfPath } from './capabilities.ts';
import { bindCdpVersions, isCdpVersion } from './cdp-versions.ts';
import { parseJson } from './check-body.ts';
import {
  checkOrigin,
  discardRest,
  type PageAllowance,
  type Refusal,
  refuseUpgrade,
  securityHeaders,
} from './guards.ts';
import { type Authenticated, type Caller, isRefusal, type Keys } from './keys.ts';
import { createLargeBodies, type LargeBodies, LargeBody, largeBody } from './large-bodies.ts';
import { bindOperations, keylessPaths, type Operations } from './operations.ts';
import { type Count, createCount, limitLargeBodies } from './shares.ts';
import { createUnreadResponses } from './unread-responses.ts';
import { acceptUploads } from './uploads.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
}

/** Handles an authenticated link upgrade. */
export type LinkHandler = (request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller) => void;

/** Pages for people, served at capability URLs. */
export interface Pages {
  /** Returns what is allowed on a page's path; undefined for every other path. */
  allowance(path: string): PageAllowance | undefined;
  /** Responds to a request for a page. */
  respond(request: IncomingMessage, response: ServerResponse, path: string): void;
}

/** WebSockets on API paths, for callers with a key. */
export interface Watches {
  /** Whether this path accepts WebSockets. */
  serves(path: string): boolean;
  /** Handles the upgrade, or returns why it is refused. Never rejects. */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    path: string,
    caller: Caller,
  ): Promise<Refusal | undefined>;
}

export interface ServerOptions {
  address: AddressOptions;
  keys: Keys;
  capabilities: Capabilities;
  handlers: Partial<Handlers>;
  onLink: LinkHandler;
  pages: Pages;
  watches: Watches;
  operations: Operations;
  /** The other nodes of a fleet, to which this one sends on what is for them; undefined without a fleet. What they send on is never sent on again. */
  peers: Peers | undefined;
  /** Answers a request of an agent, in the Model Context Protocol. `signal` aborts when the agent disconnects. */
  onMcp(request: McpRequest): Promise<Response>;
  log: Log;
}

/** A request to the path of the Model Context Protocol. */
export interface McpRequest {
  method: string;
  headers: Headers;
  /** Parsed JSON. */
  body: unknown;
  caller: Caller;
  signal: AbortSignal;
}

/** A method and a path with `:name` parameters that requests are routed by. */
export interface Route {
  method: string;
  path: string;
}

export type HttpServer = Awaited<ReturnType<typeof startServer>>;

const closeGraceMs = 2000;

const callers = new WeakMap<IncomingMessage, Caller>();
const requestIds = new WeakMap<IncomingMessage, string>();
/** Requests that another node sent on. */
const received = new WeakSet<IncomingMessage>();

/** Starts the server. Rejects with Node's error if the port is in use, or the address isn't one of this machine. */
export async function startServer(port: number, options: ServerOptions) {
  let server: Server | undefined;
  const stopping = new AbortController();
  const sockets = new Set<Duplex>();
  let openRequests = 0;
  const listeningPort = () => {
    const bound = server?.address();
    return typeof bound === 'object' && bound ? bound.port : 0;
  };
  const address = () => ({ ...options.address, port: listeningPort() });
  const app = Fastify({
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    bodyLimit: limits.body,
    exposeHeadRoutes: false,
    genReqId: (request) => requestIds.get(request) ?? '',
    // Requests that are rejected before they are routed.
    frameworkErrors: (error, _request, reply: FastifyReply) =>
      void reply.code(error.statusCode ?? 400).send(unroutable(error)),
    clientErrorHandler: (error, socket) => {
      if (socket.writable) refuseUpgrade(socket, malformed(error));
      else socket.destroy();
    },
    serverFactory: (handler) => {
      const counted: RequestListener = (request, response) => {
        openRequests++;
        response.once('close', () => openRequests--);
        handler(request, response);
      };
      server = createGuardedServer(counted, address, options);
      server.on('connection', (socket) => {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        // Those that nobody uses make room.
        if (sockets.size > limits.connections.all / 2) server?.closeIdleConnections();
      });
      return server;
    },
  });
  const routes: Route[] = [];
  app.addHook('onRoute', ({ method, url }) => void routes.push({ method: String(method), path: url }));
  app.addHook(
    'onResponse',
    async ({ method, routeOptions: { url: route = 'none' } }, { statusCode: status, elapsedTime }) => {
      options.operations.metrics.request({ method, route, status }, elapsedTime / 1000);
      options.log.debug({ method, route, status, ms: Math.round(elapsedTime) }, 'a request was answered');
    },
  );
  acceptJsonOnly(app);
  const uploads = acceptUploads(app);
  const bodies = createLargeBodies();
  app.decorateRequest('caller');
  app.addHook('onRequest', async (request, reply) => {
    const caller = callers.get(request.raw);
    if (caller) request.caller = caller;
    // The router also knows `/%6Detrics` and `/metrics#`; what a key opens is checked for the path as it is written.
    const { url } = request.routeOptions;
    const isOther = url !== undefined && !url.includes(':') && url !== pathOf(request.raw);
    return isOther ? reply.code(404).send(notFound(request.method, request.url)) : undefined;
  });
  await forwardTo(options, app);
  limitLargeBodies(app);
  app.setErrorHandler(async (thrown: FastifyError | ServiceError, request, reply) => {
    let error = thrown;
    try {
      if (!received.has(request.raw) && (await options.peers?.redirect(error, request, reply))) return reply;
    } catch (failure) {
      error = failure as ServiceError;
    }
    const unusable = storageError(error);
    const { status, body } = errorResponse(unusable ?? error, request);
    // Fastify closes the connection of a body that it doesn't accept.
    if (discardRest(request.raw)) reply.removeHeader('connection');
    if (unusable || (status >= 500 && status !== 501 && status !== 503)) {
      options.log.error(
        { method: request.method, route: request.routeOptions.url, reason: loggedReason(error) },
        'a request failed',
      );
    }
    return reply.code(status).send(body);
  });
  app.setNotFoundHandler((request, reply) => {
    const methods = methodsOf(routes, pathOf(request.raw));
    if (methods.length === 0) return reply.code(404).send(notFound(request.method, request.url));
    const error = [
      `This path doesn't accept ${request.method}. It accepts ${methods.join(', ')}.`,
      ...reasonFor(request.url),
    ].join(' ');
    return reply.code(405).header('allow', methods.join(', ')).send({ success: false, error });
  });
  bindEndpoints(app, { ...endpoints, ...embeddedEndpoints }, options.handlers, {
    stopping: stopping.signal,
    uploads,
    bodies,
    unread: createUnreadResponses(options.log),
    publicUrl: options.address.publicUrl,
  });
  bindOperations(app, options.operations);
  bindCdpVersions(app, options.capabilities, options.address.publicUrl);
  // Answers and progress come with each POST: there is no stream of the server's own to GET.
  for (const method of ['POST', 'DELETE'])
    app.route({ method, url: mcpPath, handler: (request, reply) => respondToAgent(request, reply, options, bodies) });
  await app.listen({ port, host: options.address.host });
  return {
    port: listeningPort(),
    routes,
    /** Requests that have not been answered yet. */
    openRequests: (): number => openRequests,
    /** Cancels the requests in progress, and answers new ones with 503. */
    stop: (): void => stopping.abort(new ServiceError(503, 'The service is stopping.', { code: 'SERVICE_STOPPING' })),
    /** Closes the server; connections that are still open after two seconds are cut. */
    async close(): Promise<void> {
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, closeGraceMs);
      await app.close();
      await bodies.close();
      clearTimeout(timer);
    },
  };
}

/** The contract's schemas check requests. That Fastify has none spares every start the time to load its compilers. */
function noSchemas(): never {
  throw new Error('Routes have no schemas of Fastify.');
}

/** Makes a server send requests on that are for other nodes, before it reads their bodies. */
async function forwardTo({ peers, pages }: ServerOptions, app: FastifyInstance): Promise<void> {
  if (!peers) return;
  await peers.register(app);
  app.addHook('onRequest', async (request, reply) => {
    if (received.has(request.raw)) return undefined;
    const path = pathOf(request.raw);
    if (await peers.forward(request, reply, path)) return reply;
    if (!pages.allowance(path)) return undefined;
    reply.hijack();
    pages.respond(request.raw, reply.raw, path);
    return reply;
  });
}

/** Creates the HTTP server, which checks every request and upgrade before any route, parser or handler sees it. */
function createGuardedServer(handler: RequestListener, address: () => ServiceAddress, options: ServerOptions): Server {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 2_000,
      // The guards refuse a missing Host, with a body that says why.
      requireHostHeader: false,
    },
    (request, response) => {
      for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
      const id = requestIdOf(request.headers[requestIdHeader]);
      requestIds.set(request, id);
      response.setHeader(requestIdHeader, id);
      response.once(
        'close',
        inRequest(id, () => answer(request, response)),
      );
    },
  );
  const count = createCount();
  const answer: RequestListener = (request, response) => {
    const path = pathOf(request);
    const page = options.pages.allowance(path);
    const turnAway = (refusal: Refusal) => {
      options.operations.metrics.request({ method: request.method ?? '', route: 'refused', status: refusal.status }, 0);
      refuse(request, response, refusal);
    };
    const sent = receive(request, options);
    const refusal = sent ? isRefusal(sent) && sent : checkOrigin(request, address(), page);
    if (refusal) return turnAway(refusal);
    // Of a fleet, it may be the page of a session that runs on another node.
    if (page && (sent || !options.peers)) return options.pages.respond(request, response, path);
    if (page) return handler(request, response);
    const admit = (checked: Authenticated) => {
      if (isRefusal(checked)) return turnAway(checked);
      const tooMany = count(`team ${checked.team}`, limits.connections.team, response);
      if (tooMany) return turnAway(tooMany);
      callers.set(request, checked);
      handler(request, response);
    };
    const checked = (sent && 'caller' in sent && sent.caller) || authenticate(request, path, options.keys);
    if (checked instanceof Promise) void checked.then(admit);
    else admit(checked);
  };
  server.maxConnections = limits.connections.all;
  server.keepAliveTimeout = 65_000;
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const handled = upgrade(request, socket, head, address(), { ...options, count });
    const refuse = (refusal: Refusal | undefined) => refusal && refuseUpgrade(socket, refusal);
    if (handled instanceof Promise) void handled.then(refuse);
    else refuse(handled);
  });
  return server;
}

function refuse(request: IncomingMessage, response: ServerResponse, { status, error }: Refusal): void {
  const body = JSON.stringify({ success: false, error });
  if (!discardRest(request)) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(body);
}

async function respondToAgent(
  request: FastifyRequest,
  reply: FastifyReply,
  { onMcp, keys }: ServerOptions,
  bodies: LargeBodies,
) {
  const gone = new AbortController();
  // Its connections are dropped as soon as that is known.
  reply.raw.once(
    'close',
    keys.hold(request.caller, () => undefined),
  );
  reply.raw.once('close', () => gone.abort(new ServiceError(499, 'The agent disconnected.')));
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  const { method, caller } = request;
  const body = request.body instanceof LargeBody ? (await bodies.read(request.body, caller.team)).value : request.body;
  const asked = { method, headers, body, caller, signal: gone.signal };
  return reply.send(await workingFor({ team: caller.team, work: request.id }, () => onMcp(asked)));
}

/** Returns the caller of a request that another node sent on, or why it is refused. */
function receive(request: IncomingMessage, { peers }: ServerOptions): { caller: Caller | null } | Refusal | undefined {
  const result = peers?.receive(request);
  if (result && !isRefusal(result)) received.add(request);
  return result;
}

function authenticate(request: IncomingMessage, path: string, keys: Keys): Authenticated | Promise<Authenticated> {
  // A window verifies the service's proof before it sends its key.
  if (path === embeddedEndpoints.prove.path || keylessPaths.includes(path) || isCdpVersion(path))
    return { team: '', keyLabel: '' };
  return keys.authenticate(request.headers.authorization, path);
}

function upgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  address: ServiceAddress,
  options: ServerOptions & { count: Count },
): Refusal | undefined | Promise<Refusal | undefined> {
  const path = pathOf(request);
  const sent = receive(request, options);
  const refusal = sent ? isRefusal(sent) && sent : checkOrigin(request, address, options.pages.allowance(path));
  if (refusal) return refusal;
  const capability = options.capabilities.find(path);
  if (capability === 'gone') return { status: 410, error: 'The session of this URL has ended.' };
  if (capability) {
    const tooMany = options.count(`session ${sessionOfPath(path) ?? path}`, limits.connections.session, socket);
    return tooMany ?? void capability.upgrade(request, socket, head);
  }
  const open = () => openSocket(request, socket, head, path, options);
  if (sent || !options.peers) return open();
  return options.peers.upgrade(request, socket, head, path).then((result) => (result === 'here' ? open() : result));
}

/** Opens a socket for a caller with a key. */
function openSocket(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  path: string,
  options: ServerOptions & { count: Count },
): Refusal | undefined | Promise<Refusal | undefined> {
  const isWatch = options.watches.serves(path);
  const admit = (caller: Authenticated): Refusal | undefined | Promise<Refusal | undefined> => {
    if (isRefusal(caller)) return caller;
    if (!isWatch && path !== linkPath) return { status: 404, error: 'Not found: this path has no WebSocket.' };
    const tooMany = options.count(`team ${caller.team}`, limits.connections.team, socket);
    if (tooMany) return tooMany;
    socket.once(
      'close',
      options.keys.hold(caller, () => socket.destroy()),
    );
    if (isWatch) return options.watches.upgrade(request, socket, head, path, caller);
    return void options.onLink(request, socket, head, caller);
  };
  const authorization = request.headers.authorization ?? (isWatch ? protocolKey(request) : undefined);
  const checked = options.keys.authenticate(authorization, path);
  return checked instanceof Promise ? checked.then(admit) : admit(checked);
}

/** Returns the key that a client without WebSocket headers sends as the subprotocol. */
function protocolKey(request: IncomingMessage): string | undefined {
  const [first] = (request.headers['sec-websocket-protocol'] ?? '').split(',');
  return first ? `Bearer ${first.trim()}` : undefined;
}

/** Returns the methods that a path accepts. */
function methodsOf(routes: readonly Route[], path: string): string[] {
  const segments = path.split('/');
  const matching = routes.filter((route) => {
    const expected = route.path.split('/');
    return (
      expected.length === segments.length &&
      expected.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
    );
  });
  return [...new Set(matching.map(({ method }) => method))];
}

function pathOf(request: IncomingMessage): string {
  const url = request.url ?? '';
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** Accepts only JSON bodies in UTF-8; an empty body counts as no body. */
function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') {
      const problem = `Content-Encoding ${shorten(encoding, 40)} is not supported. Send the body uncompressed.`;
      throw new ServiceError(415, problem);
    }
    if (body.length === 0) return undefined;
    if (body.length > largeBody) return new LargeBody(body);
    await nextTurn(request.caller.team);
    return parseJson(body);
  });
}

/** Paths that other servers have, and why this one doesn't. */
const notOffered: [path: RegExp, reason: string][] = [
  [/^\/v[01]\//, 'This service has only version 2 of the API: use the path that starts with /v2.'],
  [
    /^\/v2\/search\/(research|developer)\b/,
    'This service has no index of papers or repositories: search the web with POST /v2/search.',
  ],
  [/^\/v2\/search\/gov\b/, 'This service has no index of government documents: search the web with POST /v2/search.'],
  [/^\/v2\/exchange\b/, 'This service has no exchange of data sets: search the web with POST /v2/search.'],
  [/^\/v2\/team\/threat-protection\b/, 'This service has no list of malicious sites.'],
  [/^\/v2\/parse\/upload-url\b/, 'Files need no separate upload: send them to POST /v2/parse as multipart/form-data.'],
  [/^\/v2\/parse\/formats\b/, 'docs/scraping.md lists the files that POST /v2/parse reads.'],
  [/^\/v2\/agent\/threads\b/, 'Agent jobs are independent and have no threads: GET /v2/agent lists the jobs.'],
];

/** Returns why a path of other servers isn't offered, if it is one. */
function reasonFor(url: string): string[] {
  return notOffered.flatMap(([path, reason]) => (path.test(url) ? [reason] : [])).slice(0, 1);
}

function notFound(method: string, url: string): object {
  const [reason] = reasonFor(url);
  if (reason === undefined) return { success: false, error: 'Not found: no endpoint at this path.' };
  const path = shorten(url.replace(/\?.*$/s, ''));
  return { success: false, error: `${method} ${path} isn't offered. ${reason}`, code: 'NOT_OFFERED' };
}

function unroutable({ code }: FastifyError): object {
  const error =
    code === 'FST_ERR_MAX_PARAM_LENGTH'
      ? 'The URL is too long: no ID is that long.'
      : 'The path is not a valid URL: check its percent-encoding.';
  return { success: false, error, code: 'BAD_REQUEST' };
}

/** Returns the answer to what isn't a complete HTTP request. */
function malformed({ code }: { code?: string }): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: 431, error: 'The URL and headers are too large: the limit is 16 KiB.' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { status: 408, error: 'The request did not arrive in time.' };
  return { status: 400, error: 'This is not a valid HTTP request.' };
}

function loggedReason(error: Error): string {
  return error instanceof ServiceError && error.unlogged ? (error.code ?? 'not logged') : messageOf(error);
}

function errorResponse(error: FastifyError | ServiceError, request: FastifyRequest): { status: number; body: object } {
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
        error: `Request body is too large: the limit is ${(request.routeOptions.bodyLimit ?? limits.body) / 1024 / 1024} MiB.`,
      },
    };
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return errorResponse(onlyJson(), request);
  }
  const status =
    error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500 ? error.statusCode : 500;
  if (status < 500)
    return { status, body: { success: false, error: messageOf(error), ...(error.code && { code: error.code }) } };
  return {
    status,
    body: {
      success: false,
      code: 'UNKNOWN_ERROR',
      error: `Internal error. See the service log for details, under the request ID ${request.id}.`,
    },
  };
}
