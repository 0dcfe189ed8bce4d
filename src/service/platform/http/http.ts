import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { embeddedEndpoints } from '../../../contract/embedded.ts';
import { endpoints } from '../../../contract/endpoints.ts';
import { limits } from '../../../contract/limits.ts';
import { mcpPath } from '../../../contract/mcp/mcp.ts';
import { workingFor } from '../asker.ts';
import { ServiceError } from '../errors.ts';
import type { Peers } from '../fleet/peers.ts';
import type { Log } from '../log.ts';
import { storageError } from '../storage/storage.ts';
import type { AddressOptions } from './address.ts';
import { answeredError, bodyOf, loggedReason, malformed, notAllowed, notFound, unroutable } from './answers.ts';
import { bindEndpoints, type Handlers } from './bind.ts';
import type { Capabilities } from './capabilities.ts';
import { bindCdpVersions } from './cdp-versions.ts';
import { callers, createGuardedServer, pathOf, received, requestIds } from './guarded-server.ts';
import { discardRest, type PageAllowance, type Refusal, refuseUpgrade } from './guards.ts';
import { acceptJsonOnly } from './json-bodies.ts';
import type { Caller, Keys } from './keys.ts';
import { createLargeBodies, type LargeBodies, LargeBody } from './large-bodies.ts';
import { bindOperations, type Operations } from './operations.ts';
import { limitLargeBodies } from './shares.ts';
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
        // Fastify and what limits long responses listen more often than Node.js takes for a leak, and logs as one.
        response.setMaxListeners(20).once('close', () => openRequests--);
        handler(request, response);
      };
      server = createGuardedServer(counted, address, options);
      server.on('connection', (socket) => {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
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
    const answer = answeredError(unusable ?? error, request);
    const { status } = answer;
    // Fastify closes the connection of a body that it doesn't accept.
    if (discardRest(request.raw)) reply.removeHeader('connection');
    if (unusable || (status >= 500 && status !== 501 && status !== 503)) {
      options.log.error(
        { method: request.method, route: request.routeOptions.url, reason: loggedReason(error) },
        'a request failed',
      );
    }
    if (answer.retryAfter !== undefined) reply.header('retry-after', answer.retryAfter);
    return reply.code(status).send(bodyOf(answer));
  });
  app.setNotFoundHandler((request, reply) => {
    const methods = methodsOf(routes, pathOf(request.raw));
    if (methods.length === 0) return reply.code(404).send(notFound(request.method, request.url));
    return reply.code(405).header('allow', methods.join(', ')).send(notAllowed(request, methods));
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
