import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A server that answers the first request of each connection, keeps the connection, and closes it when it is used again. */
export interface ClosingServer {
  readonly url: string;
  /** The methods of the requests, those that it answers and those for which it closes the connection. */
  readonly answered: string[];
  readonly closed: string[];
  /** How many connections are open. */
  open(): number;
  close(): void;
}

export async function startClosingServer(): Promise<ClosingServer> {
  const used = new WeakSet<Socket>();
  const [answered, closed]: [string[], string[]] = [[], []];
  const server = createServer({ keepAliveTimeout: 600_000 }, ({ socket, method = '' }: IncomingMessage, response) => {
    if (used.has(socket)) {
      closed.push(method);
      socket.destroy();
      return;
    }
    used.add(socket);
    answered.push(method);
    response.end('answered');
  });
  let connections = 0;
  server.on('connection', (socket) => {
    connections++;
    socket.once('close', () => connections--);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/`, answered, closed, open: () => connections, close };
}
