import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { headerPairs } from '../../../contract/raw-headers.ts';
import type { FleetNode } from './fleet.ts';

/** How long a node has to accept a connection, in milliseconds. */
export const connectMs = 5_000;
/** How long a connection is quiet before it is checked, in milliseconds. */
const keepAliveMs = 60_000;

/**
 * Sends an upgrade request on to a node, and connects both sockets. Returns that to the node. Rejects if the node can't be reached.
 * @param extra headers that replace those of the request
 */
export async function pipeUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  node: FleetNode,
  extra: Readonly<Record<string, string>>,
): Promise<Socket> {
  const url = new URL(node.url);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isSecure = url.protocol === 'https:';
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const upstream = isSecure ? connectTls({ host, port, servername: host }) : connect({ host, port });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  upstream.setTimeout(connectMs, () => upstream.destroy(new Error('the connection timed out')));
  upstream.once(isSecure ? 'secureConnect' : 'connect', () => {
    upstream.setTimeout(0);
    upstream.setNoDelay();
    // Otherwise nobody notices that a machine is gone.
    upstream.setKeepAlive(true, keepAliveMs);
    upstream.write(requestHead(request, extra));
    upstream.write(head);
    socket.pipe(upstream).pipe(socket);
    resolve();
  });
  upstream.on('error', (error) => {
    reject(error);
    upstream.destroy();
  });
  const end = () => {
    upstream.destroy();
    reject(new Error('the connection was closed'));
  };
  socket.once('close', end);
  await promise.catch((error) => {
    socket.off('close', end);
    throw error;
  });
  // Only from now on: without a connection, the caller is told so.
  upstream.once('close', () => socket.destroy());
  return upstream;
}

function requestHead({ method, url, rawHeaders }: IncomingMessage, extra: Readonly<Record<string, string>>): string {
  const kept = headerPairs(rawHeaders).filter(([name]) => !Object.hasOwn(extra, name.toLowerCase()));
  const lines = [...kept, ...Object.entries(extra)].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
