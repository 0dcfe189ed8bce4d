import type { Socket } from 'node:net';

/** Passes on what arrives on each of two sockets to the other one, and closes both together. Used on both sides of a sandbox. */
export function joinSockets(...[one, other]: [Socket, Socket]): [Socket, Socket] {
  for (const [from, to] of [[one, other] as const, [other, one] as const]) {
    from.on('error', () => to.destroy());
    from.once('close', () => to.destroySoon());
    from.pipe(to);
  }
  return [one, other];
}
