import { randomBytes } from 'node:crypto';
import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest, Agent as TlsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { messageOf } from '../errors.ts';
import { type AddressPolicy, RefusedTarget } from './address-policy.ts';
import { type Dialer, proxyAuthorization } from './dial.ts';
import { isDnsError, judgeBehindProxy, judgedLookup } from './dispatchers.ts';

/** Why a request of a browser did not get through. */
export interface EgressFailure {
  kind: 'refused' | 'dns' | 'connection';
  message: string;
}

/** One tab's way out: known by its credentials. */
export interface Lane {
  readonly username: string;
  readonly password: string;
  /** Hosts that are not let through now, ads among them. */
  blocks: (host: string) => boolean;
  /** The last failure for a host, with its port. */
  failure(host: string): EgressFailure | undefined;
  /** Forgets the failures. */
  reset(): void;
  close(): void;
}

/**
 * A proxy on loopback that the scraping browser has to use for all it asks: whatever a page does, by redirect, frame,
 * script or socket, the name is resolved here, judged, and the connection made to the judged address.
 */
export interface EgressProxy {
  /** As `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly port: number;
  lane(): Lane;
  close(): Promise<void>;
}

/** A request for this host says only whether the credentials are right. */
export const greetingHost = 'greeting.invalid';

interface OwnLane extends Lane {
  failures: Map<string, EgressFailure>;
}

const hopByHop = [
  'proxy-authorization',
  'proxy-connection',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
const rememberedFailures = 200;

export async function startEgressProxy(policy: AddressPolicy, dialer: Dialer): Promise<EgressProxy> {
  const lanes = new Map<string, OwnLane>();
  const sockets = new Set<Duplex>();
  // Connections of its own: every one of them was made to a judged address.
  const agents = { http: new Agent({ keepAlive: true }), https: new TlsAgent({ keepAlive: true }) };

  function laneOf({ headers }: IncomingMessage): OwnLane | undefined {
    const [, encoded = ''] = /^Basic (\S+)$/.exec(headers['proxy-authorization'] ?? '') ?? [];
    const [username = '', password] = Buffer.from(encoded, 'base64').toString().split(':');
    const lane = lanes.get(username);
    return lane && lane.password === password ? lane : undefined;
  }

  function fail(lane: OwnLane, host: string, error: unknown): EgressFailure {
    const refused = error instanceof RefusedTarget;
    const failure: EgressFailure = {
      kind: refused ? 'refused' : isDnsError(error) ? 'dns' : 'connection',
      message: messageOf(error),
    };
    if (lane.failures.size < rememberedFailures) lane.failures.set(host, failure);
    return failure;
  }

  async function forward(lane: OwnLane, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:') return answer(response, 400);
    if (url.hostname === greetingHost) return answer(response, 200);
    if (lane.blocks(url.hostname)) return void response.destroy();
    try {
      policy.checkUrl(url);
      const port = url.port === '' ? 80 : Number(url.port);
      const through = dialer.proxyFor(url.hostname);
      if (through) await judgeBehindProxy(policy, url);
      const headers = { ...request.headers };
      for (const name of hopByHop) delete headers[name];
      if (through) Object.assign(headers, proxyAuthorization(through));
      const ask = through?.protocol === 'https:' ? httpsRequest : httpRequest;
      const onward = ask({
        ...(through
          ? { host: through.hostname, port: through.port || (through.protocol === 'https:' ? 443 : 80), path: url.href }
          : { host: bare(url.hostname), port, path: url.pathname + url.search, lookup: judgedLookup(policy, port) }),
        agent: ask === httpsRequest ? agents.https : agents.http,
        method: request.method,
        headers,
      });
      onward.once('response', (answer) => {
        const answered = { ...answer.headers };
        for (const name of hopByHop) delete answered[name];
        response.writeHead(answer.statusCode ?? 502, answered);
        answer.pipe(response);
        answer.once('error', () => response.destroy());
      });
      onward.once('error', (error) => {
        fail(lane, url.host, error);
        response.destroy();
      });
      response.once('close', () => onward.destroy());
      request.pipe(onward);
    } catch (error) {
      // An answer, even one that refuses, would look like the site's own to a page.
      fail(lane, url.host, error);
      response.destroy();
    }
  }

  async function tunnel(lane: OwnLane, target: string, client: Duplex, head: Buffer): Promise<void> {
    const url = URL.parse(`http://${target}`);
    const port = Number(/:(\d+)$/.exec(target)?.[1] ?? Number.NaN);
    if (!url || Number.isNaN(port)) return void client.end(answerLine(400));
    if (lane.blocks(url.hostname)) return void client.end(answerLine(403));
    let server: Socket;
    try {
      server = await dialer.connect(url.hostname, port);
    } catch (error) {
      const { kind } = fail(lane, target, error);
      return void client.end(answerLine(kind === 'refused' ? 403 : 502));
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

  const server = createServer((request, response) => {
    const lane = laneOf(request);
    if (!lane) {
      response.writeHead(407, { 'proxy-authenticate': 'Basic realm="web-data"', 'content-length': 0 }).end();
      return;
    }
    void forward(lane, request, response);
  });
  server.on('connect', (request, client, head) => {
    client.on('error', () => client.destroy());
    const lane = laneOf(request);
    if (!lane) return void client.end(answerLine(407));
    void tunnel(lane, request.url ?? '', client, head);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.headersTimeout = 15_000;
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    lane() {
      const failures = new Map<string, EgressFailure>();
      const lane: OwnLane = {
        username: randomBytes(9).toString('base64url'),
        password: randomBytes(24).toString('base64url'),
        failures,
        blocks: () => false,
        failure: (host) => failures.get(host) ?? failures.get(`${host}:443`) ?? failures.get(`${host}:80`),
        reset: () => failures.clear(),
        close: () => void lanes.delete(lane.username),
      };
      lanes.set(lane.username, lane);
      return lane;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      for (const agent of Object.values(agents)) agent.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': 0, 'cache-control': 'no-store' }).end();
}

function answerLine(status: number): string {
  const authenticate = status === 407 ? 'Proxy-Authenticate: Basic realm="web-data"\r\n' : '';
  return `HTTP/1.1 ${status} Refused\r\n${authenticate}Content-Length: 0\r\n\r\n`;
}

function bare(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}
