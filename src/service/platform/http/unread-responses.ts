import type { ServerResponse } from 'node:http';
import type { Log } from '../log.ts';

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

  function heaviest(): Unread | undefined {
    const bytes = new Map<string, number>();
    for (const each of unread) bytes.set(each.team, (bytes.get(each.team) ?? 0) + each.bytes);
    const [team] = [...bytes].reduce((one, other) => (other[1] > one[1] ? other : one), ['', -1]);
    return [...unread].find((each) => each.team === team);
  }

  return {
    /** Counts a response until it is closed. */
    add(team: string, bytes: number, response: Pick<ServerResponse, 'once' | 'destroy'>): void {
      const added: Unread = { team, bytes, response };
      unread.add(added);
      response.once('close', () => unread.delete(added));
      for (;;) {
        const total = [...unread].reduce((sum, each) => sum + each.bytes, 0);
        const oldest = total > most && unread.size > 1 ? heaviest() : undefined;
        if (!oldest) return;
        unread.delete(oldest);
        log.warn({ team: oldest.team, bytes: oldest.bytes }, 'a response was cut off: its caller reads too slowly');
        oldest.response.destroy();
      }
    },
  };
}
