import { sql } from 'kysely';
import packageJson from '../../../../package.json' with { type: 'json' };
import { createPeers, type PeersParts } from '../fleet/peers.ts';
import { createDiscovery } from '../link/discovery.ts';
import type { Links } from '../link/link.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { runningJobs, waitingDeliveries } from '../metrics/stored-counts.ts';
import type { Base, PlatformOptions } from '../platform.ts';
import type { PoolUse } from '../storage/storage.ts';
import { linkedUrl, listensOnLoopback, localUrl, socketUrl } from './address.ts';
import type { Handlers } from './bind.ts';
import type { Capabilities } from './capabilities.ts';
import type { HttpServer, ServerOptions } from './http.ts';
import { createKeys, type StoredCallers } from './keys.ts';
import { createReadiness } from './operations.ts';

/** What the wings answer requests with. */
export interface Faces extends Pick<ServerOptions, 'onMcp' | 'watches' | 'pages'>, Pick<PeersParts, 'isHere'> {
  handlers: Partial<Handlers>;
}

export interface ListenerParts extends Base {
  /** Returns undefined on SQLite. */
  poolUse(): PoolUse | undefined;
  fleet: PeersParts['fleet'] | undefined;
  metrics: Metrics;
  capabilities: Capabilities;
  storedCallers: StoredCallers;
}

/** Where the service will listen, and what it tells others about itself. */
export function createListener(options: PlatformOptions, parts: ListenerParts) {
  const { database, log, fleet, metrics, capabilities } = parts;
  // Loaded while the rest of the service opens.
  const http = import('./http.ts');
  http.catch(() => undefined);
  let server: HttpServer | undefined;
  const listening = Promise.withResolvers<void>();
  let state: 'open' | 'draining' | 'stopping' = 'open';
  const discovery = createDiscovery(options.dataDir);
  const address = () => ({ ...options, port: server?.port ?? 0 });
  const notReady = createReadiness(
    () => sql`SELECT 1`.execute(database),
    () => {
      if (state === 'stopping') return 'The service is stopping.';
      if (state === 'draining') return 'This node takes no new work.';
      return fleet?.isActive() === false ? "This node hasn't reached the database for a while." : undefined;
    },
  );
  const openRequests = () => server?.openRequests() ?? 0;
  metrics.read({
    requestsInProgress: openRequests,
    runningJobs: () => runningJobs(database),
    waitingDeliveries: () => waitingDeliveries(database),
    databaseConnections: parts.poolUse,
  });
  return {
    /** Whoever knows it can pose as the service. */
    secret: discovery.secret,
    /** Returns the service's URL in links. */
    baseUrl: () => linkedUrl(address()),
    /** Resolves to the WebSocket origin of the service for programs on this machine, such as `ws://127.0.0.1:PORT`, once it listens. */
    socketOrigin: async () => {
      await listening.promise;
      return socketUrl(localUrl(address()));
    },
    ports: () => (server ? [server.port] : []),
    openRequests,
    /** Starts to listen. Rejects with Node's error if the port is in use. */
    async listen({ handlers, isHere, ...faces }: Faces, { onLink }: Pick<Links, 'onLink'>): Promise<HttpServer> {
      const { startServer } = await http;
      server = await startServer(options.port, {
        ...faces,
        address: options,
        keys: createKeys(options.apiKeys, parts.storedCallers),
        capabilities,
        handlers: { ...handlers, prove: ({ query }) => ({ proof: discovery.prove(query.nonce) }) },
        operations: { metrics, notReady },
        onLink,
        peers: fleet && createPeers({ ...parts, fleet, isHere }),
        log,
      });
      listening.resolve();
      const { port } = server;
      const apiKey = options.apiKeys?.[0]?.key ?? null;
      // Windows and agents on this machine look for it at 127.0.0.1.
      if (listensOnLoopback(options.host))
        discovery.announce({ port, pid: process.pid, apiKey, version: packageJson.version });
      await fleet?.join(options.nodeUrl ?? localUrl(address()));
      return server;
    },
    /** Lets requests go to another node from now on. */
    drain() {
      state = 'draining';
    },
    /** Cancels the requests in progress. */
    stop() {
      state = 'stopping';
      discovery.remove();
      server?.stop();
    },
    close: async () => await server?.close(),
  };
}
