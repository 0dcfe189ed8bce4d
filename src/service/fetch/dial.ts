import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { AddressPolicy } from './address-policy.ts';
import { isLoopbackHost } from './address-policy.ts';
import { judgeBehindProxy, judgedLookup } from './dispatchers.ts';

/** Opens TCP connections to where the policy lets them, by a proxy where one is given. */
export interface Dialer {
  /** The proxy that plain requests to this host go to; undefined: they go there directly. */
  proxyFor(host: string): URL | undefined;
  /** Connects to a host, through the proxy's tunnel where there is one. Rejects with a RefusedTarget or Node's error. */
  connect(host: string, port: number): Promise<Socket>;
}

const connectTimeoutMs = 15_000;

export function createDialer(policy: AddressPolicy, proxy?: string): Dialer {
  const proxyUrl = proxy === undefined ? undefined : new URL(proxy);
  const proxyFor = (host: string) => (isLoopbackHost(host) ? undefined : proxyUrl);
  return {
    proxyFor,
    async connect(host, port) {
      const through = proxyFor(host);
      if (!through) {
        // What was judged here is what the socket's own look-up is given.
        await policy.judge(host, port);
        return connected(
          connect({ host: bare(host), port, lookup: judgedLookup(policy, port), autoSelectFamily: true }),
        );
      }
      await judgeBehindProxy(policy, new URL(`http://${host}:${port}`));
      return tunnel(through, `${host}:${port}`);
    },
  };
}

function bare(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}

async function connected(socket: Socket): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const onTimeout = () => socket.destroy(new Error('no connection in time'));
  socket.setTimeout(connectTimeoutMs, onTimeout);
  socket.once('connect', () => {
    socket.setTimeout(0);
    socket.off('timeout', onTimeout);
    socket.off('error', reject);
    resolve(socket);
  });
  socket.once('error', reject);
  return promise;
}

async function tunnel(proxy: URL, target: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const ask = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = ask(proxy, {
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...proxyAuthorization(proxy) },
    timeout: connectTimeoutMs,
    agent: false,
  });
  request.once('connect', (answer, socket, head) => {
    if (answer.statusCode !== 200) {
      socket.destroy();
      return reject(new Error(`the proxy answered ${answer.statusCode}`));
    }
    if (head.length > 0) socket.unshift(head);
    resolve(socket as Socket);
  });
  request.once('response', (answer) => {
    answer.resume();
    reject(new Error(`the proxy answered ${answer.statusCode}`));
  });
  request.once('timeout', () => request.destroy(new Error('the proxy did not answer in time')));
  request.once('error', reject);
  request.end();
  return promise;
}

/** The header that a proxy with credentials in its URL wants. */
export function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}
