import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Closes connections over which nobody with a key or a secret asks for something, as soon as there are more than `most`, those
 * first that have been so for longest: whoever opens thousands of them leaves room for others.
 */
export function limitStrangers(server: Server, most: number) {
  const strangers = new Set<Duplex>();
  function add(socket: Duplex): void {
    if (socket.destroyed) return;
    strangers.add(socket);
    const [oldest] = strangers;
    if (strangers.size > most) oldest?.destroy();
  }

  server.on('connection', (socket) => {
    socket.once('close', () => strangers.delete(socket));
    add(socket);
  });
  return {
    /** Keeps a connection until `used` is closed, or until it closes itself. */
    admit(socket: Duplex, used?: { once(event: 'close', listener: () => void): unknown }): void {
      strangers.delete(socket);
      used?.once('close', () => add(socket));
    },
  };
}
