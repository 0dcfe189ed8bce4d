import type { Socket } from 'node:net';
import type { buildConnector, Client, Dispatcher, Pool } from 'undici';

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
