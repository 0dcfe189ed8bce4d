import { sql } from 'kysely';
import * as z from 'zod';
import { type Database, jsonRows } from '../../../../platform/storage/storage.ts';
import type { Pacing } from './host-gates.ts';

/** A host that was asked for. */
export interface TakenTurn {
  host: string;
  /** Whether it is this node's turn; if not, it is the next one's, unless another node waits already. */
  mine: boolean;
  pacing: Pacing;
}

export interface PacedHost {
  host: string;
  pacing: Pacing;
}

const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
/** How a host was paced doesn't matter after this long. */
const forgetMs = 3600_000;

/** Whose turn it is to request pages of each host, as stored in PostgreSQL. All times are of its clock. */
export function hostTurnTable(database: Database, node: string, leaseMs: number) {
  const rowsOf = (hosts: readonly PacedHost[], at: number) =>
    jsonRows(
      database,
      { host: 'text', pace: 'text' },
      // In the same order everywhere, so that no node waits for one that waits for it.
      sorted(hosts.map(({ host, pacing }) => ({ host, pace: JSON.stringify(shifted(pacing, at)) }))),
    );
  /** The database's clock, to store times with. Statements may be slow: waits are too long rather than too short. */
  const clock = async () => (await sql<{ at: number }>`SELECT ${now} AS at`.execute(database)).rows[0]?.at ?? 0;

  return {
    async take(hosts: readonly string[]): Promise<TakenTurn[]> {
      const items = jsonRows(database, { host: 'text' }, sorted(hosts.map((host) => ({ host }))));
      const isFree = sql`(host_turn.node = excluded.node OR host_turn.held_until < ${now})`;
      const { rows } = await sql<{ host: string; node: string; pace: string; left_at: number; at: number }>`
        INSERT INTO host_turn (host, node, held_until, left_at, pace)
        SELECT host, ${node}::text, ${now} + ${leaseMs}, 0, '' FROM ${items}
        ON CONFLICT (host) DO UPDATE SET
          left_at = CASE WHEN ${isFree} AND host_turn.node <> excluded.node THEN host_turn.held_until ELSE host_turn.left_at END,
          wanted_by = CASE WHEN host_turn.wanted_by = excluded.node AND ${isFree} THEN NULL
            WHEN ${isFree} THEN host_turn.wanted_by ELSE coalesce(host_turn.wanted_by, excluded.node) END,
          node = CASE WHEN ${isFree} THEN excluded.node ELSE host_turn.node END,
          held_until = CASE WHEN ${isFree} THEN excluded.held_until ELSE host_turn.held_until END
        RETURNING host, node, pace, left_at, ${now} AS at`.execute(database);
      return rows.map(({ host, node: holder, pace, left_at, at }) => ({
        host,
        mine: holder === node,
        pacing: pacingOf(pace, left_at, at),
      }));
    },
    /** Prolongs turns. Returns those that are still this node's, and whether another node waits for them. */
    async renew(hosts: readonly PacedHost[]): Promise<Map<string, { wanted: boolean }>> {
      const items = rowsOf(hosts, await clock());
      const { rows } = await sql<{ host: string; wanted_by: string | null }>`
        UPDATE host_turn SET held_until = ${now} + ${leaseMs}, pace = item.pace FROM ${items}
        WHERE host_turn.host = item.host AND host_turn.node = ${node}
        RETURNING host_turn.host, host_turn.wanted_by`.execute(database);
      return new Map(rows.map(({ host, wanted_by }) => [host, { wanted: wanted_by !== null && wanted_by !== node }]));
    },
    /** Ends turns, and begins those of the nodes that wait. Returns the hosts for which one does. */
    async pass(hosts: readonly PacedHost[]): Promise<string[]> {
      const items = rowsOf(hosts, await clock());
      const { rows } = await sql<{ host: string; node: string }>`
        UPDATE host_turn SET node = coalesce(wanted_by, node), wanted_by = NULL, left_at = 0, pace = item.pace,
          held_until = CASE WHEN wanted_by IS NULL THEN 0 ELSE ${now} + ${leaseMs} END
        FROM ${items} WHERE host_turn.host = item.host AND host_turn.node = ${node}
        RETURNING host_turn.host, host_turn.node`.execute(database);
      return rows.flatMap(({ host, node: next }) => (next === node ? [] : [host]));
    },
    /** Ends the turns of a node that is gone. */
    async free(gone: string): Promise<void> {
      await sql`UPDATE host_turn SET held_until = least(held_until, ${now} - 1) WHERE node = ${gone}`.execute(database);
    },
    /** Removes what nobody needs. */
    async sweep(): Promise<void> {
      await sql`DELETE FROM host_turn WHERE held_until < ${now} - ${forgetMs}`.execute(database);
    },
  };
}

function sorted<Item extends { host: string }>(items: Item[]): Item[] {
  return items.sort(({ host: one }, { host: other }) => (one < other ? -1 : 1));
}

/** Returns a pacing with times that are `by` milliseconds later. */
function shifted({ delayed, held, nextIn, ...rest }: Pacing, by: number): Pacing {
  const later = Object.entries(delayed).map(([team, { nextIn: own, ms }]) => [team, { nextIn: own + by, ms }]);
  const heldLater = Object.entries(held).map(([team, ms]) => [team, ms + by]);
  return {
    ...rest,
    nextIn: nextIn + by,
    delayed: Object.fromEntries(later),
    held: Object.fromEntries(heldLater),
  };
}

const unpaced: Pacing = { nextIn: 0, spacingMs: 0, rounds: 0, delayed: {}, held: {} };
const storedPacing = z.object({
  nextIn: z.number(),
  spacingMs: z.number(),
  rounds: z.number(),
  delayed: z.record(z.string(), z.object({ nextIn: z.number(), ms: z.number() })),
  // Nodes of earlier versions don't store it.
  held: z.record(z.string(), z.number()).default({}),
}) satisfies z.ZodType<Pacing>;

/** Returns a pacing as it was stored; undefined if there is none, or it is damaged. */
function parsePacing(pace: string): Pacing | undefined {
  try {
    return storedPacing.parse(JSON.parse(pace));
  } catch {
    return undefined;
  }
}

/** @param leftAt when the turn of a node ended that did not pass it on; 0 if it did */
function pacingOf(pace: string, leftAt: number, at: number): Pacing {
  const stored = parsePacing(pace);
  // The next renewal replaces a damaged one, which would keep all nodes from the host.
  if (!stored) return unpaced;
  const pacing = shifted(stored, -at);
  if (leftAt === 0) return pacing;
  // It may have requested a page until the end of its turn.
  const after = (ms: number, nextIn: number) => Math.max(nextIn, ms === 0 ? 0 : leftAt - at + ms);
  const delayed = Object.entries(pacing.delayed).map(([team, { nextIn, ms }]) => [
    team,
    { nextIn: after(ms, nextIn), ms },
  ]);
  return { ...pacing, nextIn: after(pacing.spacingMs, pacing.nextIn), delayed: Object.fromEntries(delayed) };
}
