import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { embeddedEndpoints, linkPath } from '../../../contract/embedded.ts';
import { limits } from '../../../contract/limits.ts';
import { requestIdHeader } from '../../../contract/operations.ts';
import { messageOf } from '../errors.ts';
import { inRequest, requestIdOf } from '../request-scope.ts';
import type { ServiceAddress } from './address.ts';
import { type CapabilityTarget, capabilityOfPath, sessionOfPath } from './capabilities.ts';
import { isCdpVersion } from './cdp-versions.ts';
import { checkOrigin, discardRest, type Refusal, refuseUpgrade, securityHeaders } from './guards.ts';
import type { ServerOptions } from './http.ts';
import { type Authenticated, type Caller, isRefusal, type Keys } from './keys.ts';
import { keylessPaths } from './operations.ts';
import { inOrder } from './pipelining.ts';
import { type Count, createCount } from './shares.ts';
import { limitUnused } from './unused-connections.ts';

/** The callers of requests that the guards have let through. */
export const callers = new WeakMap<IncomingMessage, Caller>();
export const requestIds = new WeakMap<IncomingMessage, string>();
/** Requests that another node sent on. */
export const received = new WeakSet<IncomingMessage>();

/** Creates the HTTP server, which checks every request and upgrade before any route, parser or handler sees it. */
export function createGuardedServer(
  handler: RequestListener,
  address: () => ServiceAddress,
  options: ServerOptions,
): Server {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 2_000,
      // The guards refuse a missing Host, with a body that says why.
      requireHostHeader: false,
      // Clients of HTTP/2, such as Java's, ask for that first: they are answered as if they hadn't.
      shouldUpgradeCallback: ({ headers }) => /\bwebsocket\b/i.test(headers.upgrade ?? ''),
    },
    inOrder((request, response) => {
      for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
      const id = requestIdOf(request.headers[requestIdHeader]);
      requestIds.set(request, id);
      response.setHeader(requestIdHeader, id);
      response.once(
        'close',
        inRequest(id, () => answer(request, response)),
      );
    }),
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
    if (page && (sent || !options.peers)) {
      const capability = options.capabilities.find(capabilityOfPath(path));
      const isKnown = capability && capability !== 'gone';
      if (isKnown) connections.use(request.socket, response);
      const tooMany = isKnown && countClient(count, path, capability, response);
      return tooMany ? turnAway(tooMany) : options.pages.respond(request, response, path);
    }
    if (page) return handler(request, response);
    const admit = (checked: Authenticated) => {
      if (isRefusal(checked)) return turnAway(checked);
      if (!isKeyless(path)) connections.use(request.socket, response);
      const tooMany = count({ kind: 'team', id: checked.team }, limits.connections.team, response);
      if (tooMany) return turnAway(tooMany);
      callers.set(request, checked);
      handler(request, response);
    };
    const checked = (sent && 'caller' in sent && sent.caller) || authenticate(request, path, options.keys);
    if (checked instanceof Promise) void checked.then(admit);
    else admit(checked);
  };
  server.maxConnections = limits.connections.all;
  const connections = limitUnused(server, limits.connections.all / 2);
  server.keepAliveTimeout = 65_000;
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const refused = upgrade(request, socket, head, address(), { ...options, count }).catch((error: unknown) => {
      // Its path can be a secret.
      options.log.error({ reason: messageOf(error) }, 'a WebSocket could not be opened');
      return { status: 500, error: "The connection couldn't be opened. Connect again in a moment." };
    });
    void refused.then((refusal) => (refusal ? refuseUpgrade(socket, refusal) : connections.use(socket)));
  });
  return server;
}

function refuse(request: IncomingMessage, response: ServerResponse, { status, error, retryAfter }: Refusal): void {
  const body = JSON.stringify({ success: false, error });
  if (!discardRest(request)) response.setHeader('connection', 'close');
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(body);
}

/** Returns the caller of a request that another node sent on, or why it is refused. */
function receive(request: IncomingMessage, { peers }: ServerOptions): { caller: Caller | null } | Refusal | undefined {
  const result = peers?.receive(request);
  if (result && !isRefusal(result)) received.add(request);
  return result;
}

/** A window verifies the service's proof before it sends its key. */
const isKeyless = (path: string) =>
  path === embeddedEndpoints.prove.path || keylessPaths.includes(path) || isCdpVersion(path);

function authenticate(request: IncomingMessage, path: string, keys: Keys): Authenticated | Promise<Authenticated> {
  if (isKeyless(path)) return { team: '', keyLabel: '' };
  return keys.authenticate(request.headers.authorization, path);
}

async function upgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  address: ServiceAddress,
  options: ServerOptions & { count: Count },
): Promise<Refusal | undefined> {
  const path = pathOf(request);
  const sent = receive(request, options);
  const refusal = sent ? isRefusal(sent) && sent : checkOrigin(request, address, options.pages.allowance(path));
  if (refusal) return refusal;
  const capability = options.capabilities.find(path);
  if (capability === 'gone') return { status: 410, error: 'The session of this URL has ended.' };
  if (capability) {
    return countClient(options.count, path, capability, socket) ?? void capability.upgrade(request, socket, head);
  }
  const forwarded = sent || !options.peers ? 'here' : await options.peers.upgrade(request, socket, head, path);
  return forwarded === 'here' ? await openSocket(request, socket, head, path, options) : forwarded;
}

/** Counts a connection to a session among the clients of the session, and among its team's. */
function countClient(count: Count, path: string, { team }: CapabilityTarget, used: Duplex | ServerResponse) {
  return (
    count({ kind: 'session', id: sessionOfPath(path) ?? path }, limits.connections.session, used) ??
    (team === undefined ? undefined : count({ kind: 'team', id: team }, limits.connections.team, used))
  );
}

/** Opens a socket for a caller with a key. */
async function openSocket(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  path: string,
  options: ServerOptions & { count: Count },
): Promise<Refusal | undefined> {
  const isWatch = options.watches.serves(path);
  const authorization = request.headers.authorization ?? (isWatch ? protocolKey(request) : undefined);
  const caller = await options.keys.authenticate(authorization, path);
  if (isRefusal(caller)) return caller;
  if (socket.closed) return undefined;
  if (!isWatch && path !== linkPath) return { status: 404, error: 'Not found: this path has no WebSocket.' };
  const tooMany =
    options.count({ kind: 'team', id: caller.team }, limits.connections.team, socket) ??
    (isWatch ? undefined : options.count({ kind: 'windows', id: caller.team }, limits.connections.windows, socket));
  if (tooMany) return tooMany;
  socket.once(
    'close',
    options.keys.hold(caller, () => socket.destroy()),
  );
  if (isWatch) return await options.watches.upgrade(request, socket, head, path, caller);
  return void options.onLink(request, socket, head, caller);
}

/** Returns the key that a client without WebSocket headers sends as the subprotocol. */
function protocolKey(request: IncomingMessage): string | undefined {
  const [first] = (request.headers['sec-websocket-protocol'] ?? '').split(',');
  return first ? `Bearer ${first.trim()}` : undefined;
}

/** Returns the path of a request, without its query. */
export function pathOf(request: IncomingMessage): string {
  const url = request.url ?? '';
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
