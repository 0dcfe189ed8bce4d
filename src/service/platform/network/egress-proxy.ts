import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest, Agent as TlsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { parseUrl } from '../../../contract/addresses.ts';
import { type Asker, currentAsker, workingFor } from '../asker.ts';
import { endSocket } from '../end-socket.ts';
import { messageOf } from '../errors.ts';
import { inOrder } from '../http/pipelining.ts';
import { type AddressPolicy, RefusedTarget } from './address-policy/address-policy.ts';
import { type Dialer, proxyAuthorization, withoutBrackets } from './dial.ts';
import { checkBehindProxy, checkedLookup, isDnsError } from './dispatchers.ts';
import { ProxyError, perhapsOfProxy, refusedByProxy, unreachableProxy } from './proxy-problems.ts';

/** Why a browser's request failed. */
export interface EgressFailure {
  kind: 'refused' | 'dns' | 'proxy' | 'connection';
  message: string;
  /** `code` of Node's error. */
  code?: string;
}

/** One tab's access to the egress proxy, identified by its credentials. */
export interface Lane {
  readonly username: string;
  readonly password: string;
  /** Returns whether a host is blocked for the current page, such as an ad network. */
  blocks: (host: string) => boolean;
  /** Checks the requests for the current page, in place of the proxy's own policy, which it narrows. */
  policy: AddressPolicy | undefined;
  /** For whom the current page, or the browser, was opened. */
  asker: Asker | undefined;
  /** Returns the last failure of a host, given with or without its port. */
  failure(host: string): EgressFailure | undefined;
  /** Says that a page may not be from the site. */
  doubt(url: string, status: number): string | undefined;
  /** Clears the failures. */
  reset(): void;
  close(): void;
}

/**
 * A proxy on loopback that the scraping browser uses for all its requests. For redirects, frames, scripts and sockets
 * alike, it resolves the host name, checks the addresses against the policy, and connects only to a checked address.
 */
export type EgressProxy = Awaited<ReturnType<typeof startEgressProxy>>;

/** A port of the egress proxy for one browser. */
export interface ProxyDoor {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  close(): void;
}

/** The proxy itself answers requests for this host, so that a tab can check its credentials. */
export const proxyCheckHost = 'proxy-check.invalid';

interface LaneState extends Lane {
  failures: Map<string, EgressFailure>;
}

const hopByHopHeaders = [
  'proxy-authorization',
  'proxy-connection',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
const maxFailures = 200;
/** Informational responses, such as Early Hints, that a site may send before the real one. */
const maxHints = 20;
/** More than Chrome opens; snippets could use up the files that the service may have open. */
const maxSandboxConnections = 512;

/** @param idleMs how long connections are kept that nobody uses: a site may never close them */
export async function startEgressProxy(ownPolicy: AddressPolicy, dialer: Dialer, idleMs = 4_000) {
  const lanes = new Map<string, LaneState>();
  const sockets = new Set<Duplex>();
  // Not shared with other code: all these connections were made to checked addresses.
  const kept = { keepAlive: true, timeout: idleMs };
  const agents = { http: new Agent(kept), https: new TlsAgent(kept) };

  function laneOf({ headers }: IncomingMessage): LaneState | undefined {
    const [, encoded = ''] = /^Basic (\S+)$/.exec(headers['proxy-authorization'] ?? '') ?? [];
    const [username = '', password] = Buffer.from(encoded, 'base64').toString().split(':');
    const lane = lanes.get(username);
    return lane && lane.password === password ? lane : undefined;
  }

  function fail(lane: LaneState, host: string, error: unknown): EgressFailure {
    const refused = error instanceof RefusedTarget;
    const { code } = error as { code?: unknown };
    const failure: EgressFailure = {
      kind: refused ? 'refused' : error instanceof ProxyError ? 'proxy' : isDnsError(error) ? 'dns' : 'connection',
      message: messageOf(error),
      ...(typeof code === 'string' && { code }),
    };
    if (lane.failures.size < maxFailures) lane.failures.set(host, failure);
    return failure;
  }

  async function forward(lane: LaneState, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = parseUrl(request.url ?? '');
    if (url?.protocol !== 'http:') return respond(response, 400);
    if (url.hostname === proxyCheckHost) return respond(response, 200);
    if (lane.blocks(url.hostname)) return void response.destroy();
    const policy = lane.policy ?? ownPolicy;
    const failed = (error: unknown) => {
      fail(lane, url.host, error);
      // To the page, any response, even an error, would look like the site's own.
      response.destroy();
    };
    try {
      policy.checkUrl(url);
      const port = url.port === '' ? 80 : Number(url.port);
      const upstream = dialer.proxyFor(url.hostname);
      if (upstream) await checkBehindProxy(policy, url.hostname, port);
      const headers = { ...request.headers };
      for (const name of hopByHopHeaders) delete headers[name];
      if (upstream) Object.assign(headers, proxyAuthorization(upstream));
      const send = upstream?.protocol === 'https:' ? httpsRequest : httpRequest;
      const hasBody =
        request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0;
      const isRepeatable = !hasBody && /^(GET|HEAD|OPTIONS)$/.test(request.method ?? '');
      let hints = 0;
      const ask = (agent: Agent | TlsAgent | false): void => {
        const outgoing = send({
          ...(upstream
            ? {
                host: upstream.hostname,
                port: upstream.port || (upstream.protocol === 'https:' ? 443 : 80),
                path: url.href,
              }
            : {
                host: withoutBrackets(url.hostname),
                port,
                path: url.pathname + url.search,
                lookup: checkedLookup(policy, port),
              }),
          agent,
          method: request.method,
          headers,
        });
        outgoing.once('response', (received) => {
          if (upstream && received.statusCode === 407) {
            outgoing.destroy();
            return failed(refusedByProxy(upstream, 407));
          }
          const receivedHeaders = { ...received.headers };
          for (const name of hopByHopHeaders) delete receivedHeaders[name];
          try {
            // Node.js reads statuses that it doesn't write.
            response.writeHead(received.statusCode ?? 502, receivedHeaders);
          } catch (error) {
            return failed(error);
          }
          pipeline(received, atOnce, response, () => undefined);
        });
        outgoing.on('information', () => {
          if (++hints > maxHints)
            outgoing.destroy(new Error(`the site sent more than ${maxHints} informational responses`));
        });
        outgoing.once('error', (error) => {
          if (outgoing.reusedSocket && !response.headersSent && !response.destroyed) return ask(false);
          if (!response.destroyed) failed(upstream ? unreachableProxy(upstream, error) : error);
        });
        response.once('close', () => outgoing.destroy());
        if (isRepeatable) outgoing.end();
        else request.pipe(outgoing);
      };
      // A connection that another policy allowed isn't one that this one has checked. And a server may close an idle one in the
      // moment in which it is used again: what can't be sent twice gets its own.
      ask(lane.policy || !isRepeatable ? false : send === httpsRequest ? agents.https : agents.http);
    } catch (error) {
      failed(error);
    }
  }

  async function tunnel(lane: LaneState, target: string, client: Duplex, head: Buffer): Promise<void> {
    const url = parseUrl(`http://${target}`);
    const port = Number(/:(\d+)$/.exec(target)?.[1] ?? Number.NaN);
    if (!url || Number.isNaN(port)) return endSocket(client, statusHead(400));
    if (lane.blocks(url.hostname)) return endSocket(client, statusHead(403));
    let server: Socket;
    try {
      server = await dialer.connect(url.hostname, port, lane.policy);
    } catch (error) {
      const { kind } = fail(lane, target, error);
      return endSocket(client, statusHead(kind === 'refused' ? 403 : 502));
    }
    sockets.add(server);
    const end = () => {
      server.destroy();
      client.destroy();
    };
    for (const socket of [server, client]) socket.once('error', end).once('close', end);
    server.once('close', () => sockets.delete(server));
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) server.write(head);
    server.pipe(client).pipe(server);
  }

  const ports = new Map<Server, number>();

  async function listen(laneOf: (request: IncomingMessage) => LaneState | undefined, path?: string) {
    const server = createServer(
      inOrder((request, response) => {
        const lane = laneOf(request);
        if (!lane) {
          response.writeHead(407, { 'proxy-authenticate': 'Basic realm="web-data"', 'content-length': 0 }).end();
          return;
        }
        void workingFor(askerOf(lane), () => forward(lane, request, response));
      }),
    );
    server.on('connect', (request, client, head) => {
      client.on('error', () => client.destroy());
      const lane = laneOf(request);
      if (!lane) return endSocket(client, statusHead(407));
      void workingFor(askerOf(lane), () => tunnel(lane, request.url ?? '', client, head));
    });
    const own = new Set<Duplex>();
    server.on('connection', (socket) => {
      sockets.add(socket);
      own.add(socket);
      socket.once('close', () => {
        sockets.delete(socket);
        own.delete(socket);
      });
    });
    if (path !== undefined) server.maxConnections = maxSandboxConnections;
    server.headersTimeout = 15_000;
    server.requestTimeout = 0;
    // Once it listens, a connection that can't be accepted is no reason to end.
    server.on('error', () => undefined);
    await once(server.listen(path === undefined ? { port: 0, host: '127.0.0.1' } : { path }), 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    if (path === undefined) ports.set(server, port);
    return {
      url: `http://127.0.0.1:${port}`,
      port,
      async close(): Promise<void> {
        ports.delete(server);
        for (const socket of own) socket.destroy();
        await new Promise<void>((resolve) => server.close(() => resolve()));
      },
    };
  }

  const main = await listen(laneOf);
  return {
    /** `http://127.0.0.1:PORT` */
    url: main.url,
    port: main.port,
    /** All ports that the proxy listens on. */
    ports: (): number[] => [...ports.values()],
    lane(): Lane {
      const lane = createLane(dialer, () => void lanes.delete(lane.username));
      lanes.set(lane.username, lane);
      return lane;
    },
    /**
     * Opens a port for one browser, or a Unix socket for one sandbox. All its requests are checked, without credentials: code
     * in it may create contexts.
     * @param under a policy that narrows the proxy's own
     */
    async door(socket?: string, under?: AddressPolicy): Promise<ProxyDoor> {
      const lane = createLane(dialer, () => undefined);
      lane.policy = under;
      const { url, close } = await listen(() => lane, socket);
      return { url, close: () => void close() };
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      for (const agent of Object.values(agents)) agent.destroy();
      await main.close();
    },
  };
}

function createLane({ proxyFor }: Dialer, close: () => void): LaneState {
  const failures = new Map<string, EgressFailure>();
  return {
    username: randomBytes(9).toString('base64url'),
    password: randomBytes(24).toString('base64url'),
    failures,
    blocks: () => false,
    policy: undefined,
    asker: currentAsker(),
    failure: (host) => failures.get(host) ?? failures.get(`${host}:443`) ?? failures.get(`${host}:80`),
    doubt: (text, status) => {
      const url = parseUrl(text);
      return url ? perhapsOfProxy(proxyFor(url.hostname), url, status) : undefined;
    },
    reset: () => failures.clear(),
    close,
  };
}

const askerOf = ({ asker, username }: Lane): Asker => asker ?? { team: '', work: username };

function respond(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': 0, 'cache-control': 'no-store' }).end();
}

function statusHead(status: number): string {
  const authenticate = status === 407 ? 'Proxy-Authenticate: Basic realm="web-data"\r\n' : '';
  return `HTTP/1.1 ${status} Refused\r\n${authenticate}Content-Length: 0\r\n\r\n`;
}

/** Passes on in one piece what has arrived together, as iterating over a stream does: a site may send each byte as a chunk of its own. */
async function* atOnce(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks;
}
