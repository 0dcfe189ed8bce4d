import type { LookupFunction, Socket } from 'node:net';
import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import { currentAsker } from '../asker.ts';
import { keepLast } from '../maps.ts';
import { type Address, type AddressPolicy, isLoopbackHost, portOf } from './address-policy/address-policy.ts';

/**
 * Connection pools that the fetches of a team share, within the address policy, direct or through a proxy. Each has as many
 * connections to a host as it may have, so that slow responses hold up no other team.
 */
export type Dispatchers = ReturnType<typeof createDispatchers>;

export interface DispatcherOptions {
  policy: AddressPolicy;
  /** http or https URL, with credentials if needed. */
  proxy?: string | undefined;
  /** How long idle connections are kept, unless the server says otherwise. */
  keepAliveMs?: number;
}

const connectTimeoutMs = 15_000;
/** Kinds of connections that are kept at the same time: a caller may name every port. */
const maxAgents = 200;

export function createDispatchers({ policy, proxy, keepAliveMs = 4_000 }: DispatcherOptions) {
  const shared = {
    allowH2: true,
    connections: 64,
    maxHeaderSize: 64 * 1024,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: 60_000,
  } as const;
  const agents = new Map<string, Promise<Dispatcher>>();

  /** Loads undici only for the first fetch: a start would take a tenth longer. */
  function agentFor(name: string, make: (undici: typeof import('undici')) => Dispatcher): Promise<Dispatcher> {
    const agent = agents.get(name) ?? import('undici').then(make);
    void keepLast(agents, name, agent, maxAgents)?.then((dispatcher) => dispatcher.close());
    return agent;
  }

  function direct(team: string, port: number, rejectUnauthorized: boolean): Promise<Dispatcher> {
    // A lookup doesn't know its port, but the policy checks host and port: hence one agent per port.
    return agentFor(
      `direct ${port} ${rejectUnauthorized} ${team}`,
      (undici) =>
        new undici.Agent({
          ...shared,
          factory: poolsOfShortReads(undici),
          connect: { timeout: connectTimeoutMs, rejectUnauthorized, lookup: checkedLookup(policy, port) },
        }),
    );
  }

  return {
    /** Returns the dispatcher for a URL, which connects only to checked addresses. Throws a RefusedTarget, or Node's DNS error. */
    async for(url: URL, skipTlsVerification: boolean): Promise<Dispatcher> {
      policy.checkUrl(url);
      const { team = '' } = currentAsker() ?? {};
      if (!proxy || !proxyFor(url.hostname, proxy)) return await direct(team, portOf(url), !skipTlsVerification);
      // The proxy resolves names itself; the policy checks what this machine resolves.
      await checkBehindProxy(policy, url.hostname, portOf(url));
      return await agentFor(
        `proxy ${skipTlsVerification} ${team}`,
        (undici) =>
          new undici.ProxyAgent({
            ...shared,
            factory: poolsOfShortReads(undici),
            uri: proxy,
            requestTls: { rejectUnauthorized: !skipTlsVerification },
            connectTimeout: connectTimeoutMs,
          }),
      );
    },
    /** Closes the connections when their requests have ended. */
    async end(): Promise<void> {
      await Promise.all([...agents.values()].map(async (dispatcher) => (await dispatcher).close()));
    },
    async close(): Promise<void> {
      await Promise.all([...agents.values()].map(async (dispatcher) => (await dispatcher).destroy()));
    },
  };
}

/** Returns the proxy for requests to a host; undefined for direct ones. */
export function proxyFor(host: string, proxy: string | undefined): URL | undefined {
  return proxy === undefined || isLoopbackHost(host) ? undefined : new URL(proxy);
}

/** Checks a target that a proxy will resolve. If only the proxy can resolve it, just the name is checked. */
export async function checkBehindProxy(policy: AddressPolicy, host: string, port: number): Promise<Address[]> {
  try {
    return await policy.checkHost(host, port);
  } catch (error) {
    if (policy.denyPrivate || !isDnsError(error)) throw error;
    return [];
  }
}

/** Returns whether an error is a failed name resolution. */
export function isDnsError(error: unknown): boolean {
  const { syscall } = error as { syscall?: string };
  return syscall === 'getaddrinfo' || (syscall?.startsWith('query') ?? false);
}

/** Returns a lookup that resolves through the policy, so that sockets connect only to checked addresses. */
export function checkedLookup(policy: AddressPolicy, port: number): LookupFunction {
  return (host, options, callback) => {
    policy.checkHost(host, port).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) callback(Object.assign(new Error(`${host} has no address`), { syscall: 'getaddrinfo' }), '', 0);
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

/**
 * How much of a response is parsed at once. If there are too many headers or trailers, undici closes the connection, but
 * goes on to the end of what it has been given, with an error for each of them.
 */
const bytesOfRead = 4 * 1024;

/** Returns a factory of connection pools for an agent, which read what servers send in short pieces. */
export function poolsOfShortReads(undici: typeof import('undici')): (origin: URL, options: object) => Dispatcher {
  const makeClient = (origin: URL, { connect, ...options }: Client.Options) =>
    new undici.Client(origin, { ...options, connect: withShortReads(connect as buildConnector.connector) });
  return (origin, options: Pool.Options) => new undici.Pool(origin, { ...options, factory: makeClient });
}

/** Pools give their clients a function that connects, whatever the options of an agent say. */
function withShortReads(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket) readShortly(socket);
      callback(...result);
    });
}

function readShortly(socket: Socket): void {
  const read = socket.read.bind(socket);
  socket.read = (size) => {
    if (socket.destroyed) return null;
    const { readableLength } = socket;
    return read(size ?? (readableLength > bytesOfRead ? bytesOfRead : undefined));
  };
}
