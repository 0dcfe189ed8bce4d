import type { Clock } from '../../../../platform/clock.ts';
import { messageOf } from '../../../../platform/errors.ts';
import type { SharedJobs } from '../../../../platform/fleet/jobs/shared-jobs.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Database } from '../../../../platform/storage/storage.ts';
import { createHostGates, type HostGates } from './host-gates.ts';
import { hostTurnTable } from './host-turn-table.ts';

/** A host that this node may request pages of, or wants to. */
interface Turn {
  /** Until when it may, on the monotonic clock. */
  until: number;
  begunAt: number;
  /** When a run last asked whether it may request a page. */
  askedAt: number;
  /** Whether another node waits for its turn. */
  wanted: boolean;
  /** Whether the turn is being passed on. */
  passing: boolean;
}

/** How long a node keeps a turn without renewing it. */
const leaseMs = 8_000;
const renewMs = 2_000;
/** The minimum length of a turn while another node waits, unless no run needs it any longer. */
const shortestMs = 1_000;
/** A host that no run asks for during this time is passed on. */
const idleMs = 1_500;
const tickMs = 500;
/** Maximum number of hosts that a node has, or waits for. */
const maxTurns = 1_000;
/** How often turns that nobody needs are removed. */
const sweepMs = 10 * 60_000;

/**
 * Paces the requests to each host across nodes: one node at a time requests pages of a host, paced as in a service of its own,
 * and passes its turn on, with how the requests are paced, to a node that waits.
 */
export function createSharedGates(
  database: Database,
  { fleet, signals }: Pick<SharedJobs, 'fleet' | 'signals'>,
  { clock, log }: { clock: Clock; log: Log },
): HostGates & { close(): Promise<void> } {
  const gates = createHostGates(clock);
  const table = hostTurnTable(database, fleet.id, leaseMs);
  const turns = new Map<string, Turn>();
  const listeners: (() => void)[] = [];
  /** Hosts to ask for. */
  const asking = new Set<string>();
  let isAsking = false;
  let renewedAt = 0;
  let sweptAt = clock.monotonic();
  let closed = false;

  const isHeld = (turn: Turn | undefined) => turn !== undefined && clock.monotonic() < turn.until;
  const changed = () => {
    for (const listener of listeners) listener();
  };

  function ask(host: string): void {
    asking.add(host);
    if (!isAsking && !closed) void askAll();
  }

  /** Asks for turns until none is left to ask for. Never rejects. */
  async function askAll(): Promise<void> {
    isAsking = true;
    while (asking.size > 0 && fleet.isActive()) {
      const hosts = [...asking];
      asking.clear();
      try {
        await take(hosts);
      } catch (error) {
        log.warn({ reason: messageOf(error) }, 'turns to request pages of hosts could not be taken');
        break;
      }
    }
    asking.clear();
    isAsking = false;
  }

  async function take(hosts: readonly string[]): Promise<void> {
    const sentAt = clock.monotonic();
    let isNew = false;
    for (const { host, mine, pacing } of await table.take(hosts)) {
      const turn = turns.get(host);
      if (!mine) {
        signals.sendSoon('host', `wanted ${host}`);
        continue;
      }
      // It may have been passed on, or no longer be wanted.
      if (!turn || turn.passing) continue;
      if (!isHeld(turn)) {
        gates.resume(host, pacing);
        turn.begunAt = clock.monotonic();
        turn.wanted = false;
      }
      turn.until = sentAt + leaseMs;
      isNew = true;
    }
    if (isNew) changed();
  }

  /** Passes on the turns that are over, now that no request is in progress. Never rejects. */
  async function pass(hosts: readonly string[]): Promise<void> {
    const own = hosts.flatMap((host) => {
      const turn = turns.get(host);
      if (!turn || turn.passing) return [];
      turn.passing = true;
      return { host, pacing: gates.pacingOf(host) };
    });
    if (own.length === 0) return;
    try {
      for (const host of await table.pass(own)) signals.sendSoon('host', `free ${host}`);
    } catch (error) {
      // It ends by itself.
      log.warn({ reason: messageOf(error) }, 'turns to request pages of hosts could not be passed on');
    }
    for (const { host } of own) turns.delete(host);
    changed();
  }

  /** Whether a turn is over as soon as no request is in progress. */
  function isOver({ wanted, begunAt, askedAt }: Turn): boolean {
    const now = clock.monotonic();
    return now - askedAt > idleMs || (wanted && now - begunAt > shortestMs);
  }

  async function renew(): Promise<void> {
    const held = [...turns].filter(([, turn]) => isHeld(turn) && !turn.passing).map(([host]) => host);
    if (held.length === 0) return;
    const sentAt = clock.monotonic();
    const kept = await table.renew(held.map((host) => ({ host, pacing: gates.pacingOf(host) })));
    for (const host of held) {
      const turn = turns.get(host);
      if (!turn) continue;
      const answer = kept.get(host);
      turn.until = answer ? sentAt + leaseMs : 0;
      turn.wanted ||= answer?.wanted === true;
    }
  }

  async function tick(): Promise<void> {
    if (closed) return;
    try {
      const now = clock.monotonic();
      if (fleet.isActive() && now - renewedAt >= renewMs) {
        renewedAt = now;
        await renew();
      }
      if (now - sweptAt > sweepMs) {
        sweptAt = now;
        await table.sweep();
      }
      const over: string[] = [];
      let hasForgotten = false;
      for (const [host, turn] of turns) {
        if (isHeld(turn)) {
          if (isOver(turn) && gates.activeOf(host) === 0) over.push(host);
        } else if (gates.activeOf(host) === 0 && now - turn.askedAt > idleMs) {
          turns.delete(host);
          hasForgotten = true;
        } else ask(host);
      }
      // Runs that still wait ask again: while another node keeps a turn for long, nothing else makes them.
      if (hasForgotten) changed();
      await pass(over);
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'turns to request pages of hosts could not be renewed');
    }
    clock.after(tickMs, () => void tick());
  }

  signals.on('host', (text) => {
    const space = text.indexOf(' ');
    const host = text.slice(space + 1);
    const turn = turns.get(host);
    if (!turn) return;
    if (text.startsWith('wanted')) turn.wanted ||= isHeld(turn);
    else if (!isHeld(turn)) ask(host);
  });
  fleet.onDead((node) => table.free(node));
  clock.after(tickMs, () => void tick());

  return {
    wait(host, pace) {
      let turn = turns.get(host);
      if (!turn) {
        if (turns.size >= maxTurns) return Number.POSITIVE_INFINITY;
        turn = { until: 0, begunAt: 0, askedAt: 0, wanted: false, passing: false };
        turns.set(host, turn);
        ask(host);
      }
      turn.askedAt = clock.monotonic();
      if (!isHeld(turn) || turn.passing || (turn.wanted && turn.askedAt - turn.begunAt > shortestMs))
        return Number.POSITIVE_INFINITY;
      return gates.wait(host, pace);
    },
    enter(host, pace) {
      const visit = gates.enter(host, pace);
      const left = () => {
        const turn = turns.get(host);
        if (turn && isHeld(turn) && turn.wanted && isOver(turn) && gates.activeOf(host) === 0) void pass([host]);
      };
      return {
        leave() {
          visit.leave();
          left();
        },
        refused(retryAfterMs) {
          const then = visit.refused(retryAfterMs);
          left();
          return then;
        },
      };
    },
    onChange: (listener) => void listeners.push(listener),
    async close() {
      closed = true;
      await pass([...turns].filter(([host, turn]) => isHeld(turn) && gates.activeOf(host) === 0).map(([host]) => host));
    },
  };
}
