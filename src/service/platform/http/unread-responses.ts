import type { ServerResponse } from 'node:http';
import type { Log } from '../log.ts';
import { createHoldings } from '../turns.ts';

/** Limits the memory of long responses that their callers haven't read yet. */
export type UnreadResponses = ReturnType<typeof createUnreadResponses>;

interface Unread {
  team: string;
  bytes: number;
  response: Pick<ServerResponse, 'destroy'>;
}

/** Bytes of all of them together. */
const mostBytes = 1024 * 1024 * 1024;

/** Beyond `most` bytes, the oldest responses of the team with the most bytes are cut off; a single one never is. */
export function createUnreadResponses(log: Pick<Log, 'warn'>, most = mostBytes) {
  const unread = new Set<Unread>();
  const held = createHoldings();

  function remove(response: Unread): void {
    if (unread.delete(response)) held.change(response.team, -response.bytes);
  }

  return {
    /** Counts a response until it is closed. */
    add(team: string, bytes: number, response: Pick<ServerResponse, 'once' | 'destroy'>): void {
      const added: Unread = { team, bytes, response };
      unread.add(added);
      held.change(team, bytes);
      response.once('close', () => remove(added));
      while (held.total > most && unread.size > 1) {
        const oldest = [...unread].reduce((one, next) => (held.of(next.team) > held.of(one.team) ? next : one));
        remove(oldest);
        log.warn({ team: oldest.team, bytes: oldest.bytes }, 'a response was cut off: its caller reads too slowly');
        oldest.response.destroy();
      }
    },
  };
}
