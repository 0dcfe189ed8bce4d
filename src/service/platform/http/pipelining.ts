import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that wait on a connection, or that have begun: clients that don't wait for answers send a few. */
const most = 100;
/** Bytes of a body that may wait with its request. The connection isn't read on behind a longer one that nobody reads. */
const mostWaitingBody = 16 * 1024;

/**
 * Makes a listener take the requests of a connection one after the other, as their answers are sent, however many of them have
 * arrived together: each has a turn of its own, but those with long bodies begin at once. A connection with too many is closed.
 */
export function inOrder(listener: RequestListener): RequestListener {
  /** The requests of connections that have some: those that wait for the one whose turn it is, and how many have begun. */
  const connections = new WeakMap<Socket, { waiting: (() => void)[]; hasTurn: boolean; begun: number }>();

  return (request, response) => {
    const { socket } = request;
    const own = connections.get(socket) ?? { waiting: [], hasTurn: false, begun: 0 };
    connections.set(socket, own);
    if (own.waiting.length + own.begun >= most) return void socket.destroy();
    const begin = (onClose: () => void) => {
      own.begun++;
      response.once('close', () => {
        own.begun--;
        onClose();
      });
      listener(request, response);
    };
    const goOn = () => {
      own.hasTurn = false;
      if (socket.writable) own.waiting.shift()?.();
    };
    // Each keeps the context in which it arrived.
    const take = AsyncResource.bind(() => {
      own.hasTurn = true;
      begin(() => setImmediate(goOn));
    });
    if (!own.hasTurn) take();
    else if (hasShortBody(request)) own.waiting.push(take);
    else begin(() => undefined);
  };
}

function hasShortBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= mostWaitingBody;
}
