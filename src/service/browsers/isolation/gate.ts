import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { AddressPolicy } from '../../platform/network/address-policy/address-policy.ts';
import type { EgressProxy } from '../../platform/network/egress-proxy.ts';
import { gateInside } from './bubblewrap.ts';
import { joinSockets } from './join-sockets.ts';

/** What leads out of a sandbox with a network of its own: sockets in a folder, which a program inside listens for on ports. */
export type Gate = Awaited<ReturnType<typeof openGate>>;

export interface GateOptions {
  /** Checks every request, so that none reaches a metadata address or the service itself. Without it, none reaches the web. */
  egress?: EgressProxy | undefined;
  /** Narrows what it may reach. */
  policy?: AddressPolicy | undefined;
  /** Origin of the service. */
  service: URL;
}

/** Connections of one sandbox to the service: more would use up the files that the service may have open. */
const maxConnections = 64;

/** Opens the sockets of a sandbox in an empty folder that only the service and the sandbox can reach. */
export async function openGate(folder: string, { egress, policy, service }: GateOptions) {
  const paths = { web: join(folder, 'web'), service: join(folder, 'service') };
  const host = service.hostname.replace(/^\[|\]$/g, '');
  // The service has its own port there too, since it answers requests for its own address only.
  const port = Number(service.port);
  const proxyPort = port === 3128 ? 3129 : 3128;
  const sockets = new Set<Socket>();
  const server = createServer((inside) => {
    for (const socket of joinSockets(inside, connect(port, host))) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
  });
  server.maxConnections = maxConnections;
  // Once it listens, a connection that can't be accepted is no reason to end.
  server.on('error', () => undefined);
  await once(server.listen(paths.service), 'listening');
  const door = await egress?.door(paths.web, policy);
  // The folders above are private; the sandbox has a user ID of its own.
  for (const path of door ? [paths.web, paths.service] : [paths.service]) await chmod(path, 0o666);
  return {
    /** Sockets by the port that leads to them, as the sandbox sees both. */
    ports: { ports: { [proxyPort]: `${gateInside}/web`, [port]: `${gateInside}/service` } },
    /** URL of the proxy inside the sandbox. */
    proxyUrl: `http://127.0.0.1:${proxyPort}`,
    /** Returns a URL of the service as programs in the sandbox reach it. */
    serviceUrl(url: string): string {
      const inside = new URL(url);
      inside.hostname = '127.0.0.1';
      return inside.href;
    },
    async close(): Promise<void> {
      door?.close();
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
