import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that wait on a connection: clients that don't wait for answers send a few. */
const mostWaiting = 100;

/**
 * Makes a listener take the requests of a connection one after the other, as their answers are sent, however many of them have
 * arrived together: each has a turn of its own. A connection on which too many wait is closed.
 */
export function inOrder(listener: RequestListener): RequestListener {
  /** The requests that wait, by connections that have one in progress. */
  const waiting = new WeakMap<Socket, Parameters<RequestListener>[]>();

  function begin(...[request, response]: Parameters<RequestListener>): void {
    response.once('close', () => setImmediate(goOn, request.socket));
    listener(request, response);
  }

  function goOn(socket: Socket): void {
    const next = waiting.get(socket)?.shift();
    if (!next) waiting.delete(socket);
    else if (socket.writable) begin(...next);
  }

  return (request, response) => {
    const { socket } = request;
    const before = waiting.get(socket);
    if (!before) {
      waiting.set(socket, []);
      begin(request, response);
    } else if (before.length < mostWaiting) before.push([request, response]);
    else socket.destroy();
  };
}
