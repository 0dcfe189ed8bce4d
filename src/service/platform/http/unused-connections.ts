import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Milliseconds in which a connection that was just accepted can say who asks. */
const pruneMs = 20;

/**
 * Closes connections over which nobody with a key or a secret asks for something when a server has more than `most`, those first
 * that have been so for longest: whoever opens thousands of them leaves room for others.
 */
export function limitUnused(server: Server, most: number) {
  const uses = new Map<Duplex, number>();
  const unused = new Set<Duplex>();
  let isPruning = false;

  function pruneLater(): void {
    if (isPruning || uses.size <= most || unused.size === 0) return;
    isPruning = true;
    const waiting = [...unused];
    // What has come meanwhile is read first, however busy the service is.
    setTimeout(() => setImmediate(prune, waiting), pruneMs).unref();
  }

  /** Those that were accepted since can't have said yet who asks. */
  function prune(waiting: readonly Duplex[]): void {
    const oldest = waiting.filter((socket) => unused.has(socket)).slice(0, Math.max(0, uses.size - most));
    for (const socket of oldest) socket.destroy();
    isPruning = false;
    pruneLater();
  }

  server.on('connection', (socket) => {
    uses.set(socket, 0);
    unused.add(socket);
    socket.once('close', () => {
      uses.delete(socket);
      unused.delete(socket);
    });
    pruneLater();
  });
  return {
    /** Keeps a connection until what uses it is closed, or until it closes itself. */
    use(socket: Duplex, user?: { once(event: 'close', listener: () => void): unknown }): void {
      if (socket.destroyed) return;
      unused.delete(socket);
      uses.set(socket, (uses.get(socket) ?? 0) + 1);
      user?.once('close', () => {
        const left = (uses.get(socket) ?? 1) - 1;
        if (socket.destroyed) return;
        uses.set(socket, left);
        if (left === 0) unused.add(socket);
      });
    },
  };
}
