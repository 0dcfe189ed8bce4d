import { createServer, type IncomingHttpHeaders, type IncomingMessage, request as send } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A proxy in front of several servers, which answer its requests and sockets in turn. */
export interface RoundRobin {
  readonly url: string;
  /** URLs of the servers. One that refuses a connection is passed over. */
  readonly targets: string[];
  close(): Promise<void>;
}

/** Starts a proxy on a free port of loopback. Add its targets later, since they may have to know its URL. */
export async function startRoundRobin(): Promise<RoundRobin> {
  const targets: string[] = [];
  const sockets = new Set<Duplex>();
  let next = 0;
  /** Returns the targets, beginning with the one whose turn it is. */
  const inTurn = () => {
    const first = next++ % Math.max(1, targets.length);
    return [...targets.slice(first), ...targets.slice(0, first)].map((target) => new URL(target));
  };

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const attempt = ([target, ...others]: URL[]) => {
      if (!target) return void response.writeHead(502).end();
      const upstream = send(
        {
          host: target.hostname,
          port: target.port,
          path: request.url,
          method: request.method,
          headers: request.headers,
        },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
          answer.pipe(response);
          answer.on('error', () => response.destroy());
        },
      );
      upstream.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') attempt(others);
        else if (response.headersSent) response.destroy();
        else response.writeHead(502).end();
      });
      response.on('close', () => upstream.destroy());
      upstream.end(body);
    };
    attempt(inTurn());
  });

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const attempt = ([target, ...others]: URL[]) => {
      if (!target) return void socket.destroy();
      const upstream = connect(Number(target.port), target.hostname);
      upstream.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') attempt(others);
        else socket.destroy();
      });
      upstream.once('connect', () => {
        upstream.write(headOf(request));
        upstream.write(head);
        socket.pipe(upstream).pipe(socket);
        upstream.once('close', () => socket.destroy());
        socket.once('close', () => upstream.destroy());
      });
    };
    attempt(inTurn());
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function endToEnd({ connection: _connection, 'keep-alive': _keepAlive, ...headers }: IncomingHttpHeaders) {
  return headers;
}

function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  return `${method} ${url} HTTP/${httpVersion}\r\n${lines.join('')}\r\n`;
}
