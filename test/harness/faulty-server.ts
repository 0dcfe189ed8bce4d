import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as it arrived. */
export interface Arrival {
  method: string;
  /** Path and query. */
  target: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Ways to respond, valid or faulty. */
export interface Exchange {
  /** How many requests arrived before this one. */
  readonly index: number;
  readonly socket: Socket;
  /** A well-formed response, with its length, on a connection that closes. */
  answer(status: number, body: string | Uint8Array, headers?: Readonly<Record<string, string | string[]>>): void;
  json(value: unknown, status?: number, headers?: Readonly<Record<string, string | string[]>>): void;
  /** Exactly these bytes, then the end of the connection. */
  bytes(data: string | Uint8Array): void;
  /** These bytes one by one, then the end. */
  slowly(data: string | Uint8Array): void;
  /** These bytes, then a TCP reset. */
  reset(data?: string | Uint8Array): void;
}

export interface FaultyServer {
  readonly baseUrl: string;
  readonly port: number;
  /** Every complete request, in order. */
  readonly arrivals: Arrival[];
  close(): Promise<void>;
}

/** A real HTTP server on loopback that records requests and responds as the test says, down to single bytes. */
export async function startFaultyServer(
  handle: (arrival: Arrival, exchange: Exchange) => void | Promise<void>,
): Promise<FaultyServer> {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request) => {
    const arrival: Arrival = {
      method: request.method ?? '',
      target: request.url ?? '',
      headers: request.headers,
      body: await text(request).catch(() => ''),
    };
    await handle(arrival, createExchange(arrivals.push(arrival) - 1, request.socket));
  });
  return serve(server, arrivals);
}

/** A server that closes every connection immediately, before it reads anything. */
export async function startDeafServer(): Promise<FaultyServer & { readonly connections: number }> {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections++;
    socket.on('error', () => {});
    socket.resetAndDestroy();
  });
  const served = await serve(server as Server, []);
  return Object.defineProperty(served, 'connections', { get: () => connections }) as FaultyServer & {
    readonly connections: number;
  };
}

async function serve(server: Server, arrivals: Arrival[]): Promise<FaultyServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  const { port } = await listen(server);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    arrivals,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function listen(server: Server): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server.address() as AddressInfo));
  });
}

function createExchange(index: number, socket: Socket): Exchange {
  const exchange: Exchange = {
    index,
    socket,
    answer(status, body, headers = {}) {
      const head = [`HTTP/1.1 ${status} Status`, 'connection: close', `content-length: ${Buffer.byteLength(body)}`];
      for (const [name, value] of Object.entries(headers))
        for (const one of [value].flat()) head.push(`${name}: ${one}`);
      socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)]));
    },
    json(value, status = 200, headers = {}) {
      exchange.answer(status, JSON.stringify(value), { 'content-type': 'application/json', ...headers });
    },
    bytes(data) {
      socket.end(data);
    },
    slowly(data) {
      socket.setNoDelay(true);
      const bytes = Buffer.from(data);
      const send = (at: number) => {
        if (at >= bytes.length) socket.end();
        else if (!socket.destroyed) socket.write(bytes.subarray(at, at + 1), () => setImmediate(send, at + 1));
      };
      send(0);
    },
    reset(data) {
      if (data === undefined) socket.resetAndDestroy();
      // The write callback means the bytes were sent; the reset follows when they could have been read.
      else socket.write(data, () => setTimeout(() => socket.resetAndDestroy(), 20));
    },
  };
  return exchange;
}
