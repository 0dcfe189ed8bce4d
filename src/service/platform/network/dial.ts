import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { AddressPolicy } from './address-policy/address-policy.ts';
import { checkBehindProxy, checkedLookup, proxyFor } from './dispatchers.ts';
import { refusedByProxy, unreachableProxy } from './proxy-problems.ts';

/** Opens TCP connections that the address policy allows, through a proxy if one is configured. */
export type Dialer = ReturnType<typeof createDialer>;

const connectTimeoutMs = 15_000;

export function createDialer(policy: AddressPolicy, proxy?: string) {
  return {
    /** Returns the proxy for plain requests to a host; undefined for direct requests. */
    proxyFor: (host: string) => proxyFor(host, proxy),
    /**
     * Connects to a host, through a tunnel of the proxy if there is one. Rejects with a RefusedTarget or Node's error.
     * @param under a policy that narrows the dialer's
     */
    async connect(host: string, port: number, under: AddressPolicy = policy): Promise<Socket> {
      const upstream = proxyFor(host, proxy);
      if (!upstream) {
        // Sockets don't call the lookup for IP addresses.
        await under.checkHost(host, port);
        return whenConnected(
          connect({ host: withoutBrackets(host), port, lookup: checkedLookup(under, port), autoSelectFamily: true }),
        );
      }
      await checkBehindProxy(under, host, port);
      return tunnel(upstream, `${host}:${port}`);
    },
  };
}

/** Returns the host of a URL, whose IPv6 addresses are in brackets, as a socket needs it. */
export function withoutBrackets(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}

async function whenConnected(socket: Socket): Promise<Socket> {
  const late = () => socket.destroy(new Error('the connection timed out'));
  const timer = setTimeout(late, connectTimeoutMs);
  await once(socket, 'connect').finally(() => clearTimeout(timer));
  return socket;
}

async function tunnel(proxy: URL, target: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = send(proxy, {
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...proxyAuthorization(proxy) },
    timeout: connectTimeoutMs,
    agent: false,
  });
  request.once('connect', (response, socket, head) => {
    if (response.statusCode !== 200) {
      socket.destroy();
      return reject(refusedByProxy(proxy, response.statusCode));
    }
    if (head.length > 0) socket.unshift(head);
    resolve(socket as Socket);
  });
  request.once('response', (response) => {
    response.resume();
    reject(refusedByProxy(proxy, response.statusCode));
  });
  const timeout = Object.assign(new Error('the proxy timed out'), { code: 'ETIMEDOUT' });
  request.once('timeout', () => request.destroy(timeout));
  request.once('error', (error) => reject(unreachableProxy(proxy, error)));
  request.end();
  return promise;
}

/** Returns the Proxy-Authorization header for a proxy whose URL contains credentials. */
export function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}
