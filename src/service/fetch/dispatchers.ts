import type { LookupFunction } from 'node:net';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { type AddressPolicy, isLoopbackHost, portOf } from './address-policy.ts';

/** The connections that fetches share: to where the policy lets them, directly or by a proxy. */
export interface Dispatchers {
  /** The one for this URL. What it connects to has been judged; throws a RefusedTarget, or Node's DNS error. */
  for(url: URL, skipTlsVerification: boolean): Promise<Dispatcher>;
  close(): Promise<void>;
}

export interface DispatcherOptions {
  policy: AddressPolicy;
  /** http or https, with credentials if it wants them. */
  proxy?: string | undefined;
  /** How long a connection that nothing uses is kept, unless the server says how long it keeps it. */
  keepAliveMs?: number;
}

const connectTimeoutMs = 15_000;

export function createDispatchers({ policy, proxy, keepAliveMs = 4_000 }: DispatcherOptions): Dispatchers {
  const shared = {
    allowH2: true,
    connections: 64,
    maxHeaderSize: 64 * 1024,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: 60_000,
  } as const;
  const made = new Map<string, Dispatcher>();

  function agent(name: string, make: () => Dispatcher): Dispatcher {
    const known = made.get(name);
    if (known) return known;
    const fresh = make();
    made.set(name, fresh);
    return fresh;
  }

  function direct(port: number, rejectUnauthorized: boolean): Dispatcher {
    // A lookup is not told the port that it is for, and the policy judges both: hence an agent for each port.
    return agent(
      `direct ${port} ${rejectUnauthorized}`,
      () =>
        new Agent({
          ...shared,
          connect: { timeout: connectTimeoutMs, rejectUnauthorized, lookup: judgedLookup(policy, port) },
        }),
    );
  }

  return {
    async for(url, skipTlsVerification) {
      policy.checkUrl(url);
      if (!proxy || isLoopbackHost(url.hostname)) return direct(portOf(url), !skipTlsVerification);
      // The proxy resolves for itself; what it would reach is judged by what this machine resolves.
      await judgeBehindProxy(policy, url);
      return agent(
        `proxy ${skipTlsVerification}`,
        () =>
          new ProxyAgent({
            ...shared,
            uri: proxy,
            requestTls: { rejectUnauthorized: !skipTlsVerification },
            connectTimeout: connectTimeoutMs,
          }),
      );
    },
    async close() {
      await Promise.all([...made.values()].map((dispatcher) => dispatcher.destroy()));
    },
  };
}

/** Judges a target that a proxy will resolve. Where only the proxy knows the name, the policy's view of the name alone counts. */
export async function judgeBehindProxy(policy: AddressPolicy, url: URL): Promise<void> {
  try {
    await policy.judge(url.hostname, portOf(url));
  } catch (error) {
    if (!policy.denyPrivate && isDnsError(error)) return;
    throw error;
  }
}

/** Whether an error is Node's way to say that a name could not be resolved. */
export function isDnsError(error: unknown): boolean {
  const { syscall } = error as { syscall?: string };
  return syscall === 'getaddrinfo' || (syscall?.startsWith('query') ?? false);
}

/** Resolves through the policy: a socket can only go to an address that was judged. */
export function judgedLookup(policy: AddressPolicy, port: number): LookupFunction {
  return (host, options, callback) => {
    policy.judge(host, port).then(
      ({ addresses }) => {
        const [first] = addresses;
        if (!first) callback(Object.assign(new Error(`no address of ${host}`), { syscall: 'getaddrinfo' }), '', 0);
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}
