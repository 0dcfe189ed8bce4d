import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a PostgreSQL server, whose connections fail on command. */
export interface DatabaseProxy {
  /** The server's URL through the proxy. */
  readonly url: string;
  /** Transactions that were committed without their client knowing. */
  readonly lostCommits: number;
  /** Cuts the connection of every `nth` COMMIT after the server has stored it and before the client knows; 0: of none. */
  loseCommits(nth: number): void;
  /** Holds everything back that the server sends, until `resume`. */
  stall(): void;
  resume(): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of the server of a URL. */
export async function startDatabaseProxy(target: string): Promise<DatabaseProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let nth = 0;
  let commits = 0;
  let lostCommits = 0;
  let stalled = false;
  const held: (() => void)[] = [];

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let losing = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (data) => {
      if (nth > 0 && data.includes('commit\0') && ++commits % nth === 0) losing = true;
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (losing) {
        lostCommits++;
        client.destroy();
      } else if (stalled) {
        held.push(() => client.write(data));
      } else {
        client.write(data);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    get lostCommits() {
      return lostCommits;
    },
    loseCommits(every) {
      nth = every;
      commits = 0;
    },
    stall() {
      stalled = true;
    },
    resume() {
      stalled = false;
      for (const send of held.splice(0)) send();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
