import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';

/** Unread bytes after which a slow client is disconnected. */
const maxUnreadBytes = 256 * 1024 * 1024;
/** Unread bytes of all clients together after which the slowest are disconnected. */
const maxUnreadBytesOfAll = 512 * 1024 * 1024;
/** How long a disconnected client has to read the reason, in milliseconds. */
const closeMs = 1000;
/** The WebSocket close code of a client that reads too slowly. */
const tooSlow = 1013;

/** Limits the memory of messages that clients don't read. */
export type UnreadBudget = ReturnType<typeof createUnreadBudget>;

export function createUnreadBudget(each = maxUnreadBytes, all = maxUnreadBytesOfAll) {
  /** With the team of each. */
  const sockets = new Map<WebSocket, string>();

  function disconnect(socket: WebSocket): void {
    sockets.delete(socket);
    socket.close(tooSlow, 'The client reads too slowly.');
    // A client that doesn't read at all doesn't read the reason either.
    setTimeout(() => socket.terminate(), closeMs).unref();
  }

  /** The socket with the most unread bytes, of the team with the most. */
  function slowest(): { total: number; socket: WebSocket | undefined } {
    const teams = new Map<string, { bytes: number; socket: WebSocket }>();
    let total = 0;
    for (const [socket, team] of sockets) {
      const bytes = socket.bufferedAmount;
      total += bytes;
      const known = teams.get(team);
      const isSlower = !known || bytes > known.socket.bufferedAmount;
      teams.set(team, { bytes: (known?.bytes ?? 0) + bytes, socket: isSlower ? socket : known.socket });
    }
    const [heaviest] = [...teams.values()].sort((one, other) => other.bytes - one.bytes);
    return { total, socket: heaviest?.socket };
  }

  return {
    add: (socket: WebSocket, team: string): void => void sockets.set(socket, team),
    remove: (socket: WebSocket): void => void sockets.delete(socket),
    /** Disconnects slow clients until `bytes` more for `socket` fit, first those of the team that has most to read. Returns whether `socket` may receive them. */
    admits(socket: WebSocket, bytes: number): boolean {
      if (!sockets.has(socket)) return false;
      if (socket.bufferedAmount > each) disconnect(socket);
      // Clients that read everything cost nothing, whatever the others do.
      else if (socket.bufferedAmount > 0) {
        for (let slow = slowest(); slow.socket && slow.total + bytes > all; slow = slowest()) disconnect(slow.socket);
      }
      return sockets.has(socket);
    },
  };
}

/** Accepts the sockets of upgrade requests. Each message has a turn of its own, however many arrive together. */
export function acceptSockets(maxPayload: number, more: ServerOptions = {}): WebSocketServer {
  const each = { perMessageDeflate: false, allowSynchronousEvents: false };
  return new WebSocketServer({ noServer: true, maxPayload, ...each, ...more });
}

/** That of all CDP clients and windows. */
export const unreadOfService = createUnreadBudget();
