import type { Duplex } from 'node:stream';

/** How long the other side has to read what was sent last, in milliseconds. */
const closeMs = 1000;

/** Sends a last text and closes a socket, also if the other side never closes its own: nobody else would. */
export function endSocket(socket: Duplex, last: string): void {
  socket.end(last);
  setTimeout(() => socket.destroy(), closeMs).unref();
}
