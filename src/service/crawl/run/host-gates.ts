import type { Clock } from '../../clock.ts';

/** Paces the requests to each host, whichever job they are for. */
export interface HostGates {
  /** Milliseconds until a request may begin: 0 now, Infinity when another one has to end first. */
  wait(host: string, pace: Pace): number;
  /** A request begins. */
  enter(host: string, pace: Pace): Visit;
}

export interface Pace {
  /** Milliseconds from the beginning of one request to that of the next; with any, there is one at a time. */
  spacingMs: number;
  /** Requests at a time. */
  width: number;
}

/** A request to a host while it runs. */
export interface Visit {
  /** The host answered, or failed to. */
  leave(): void;
  /** The host asked to be left alone, for `retryAfterMs` where it said so. Tells what to make of that. */
  refused(retryAfterMs: number | undefined): 'try again' | 'give up';
}

interface Gate {
  active: number;
  nextAt: number;
  /** Refusals without an answer between them; those of one burst count as one. */
  rounds: number;
  refusedAt: number;
}

/** A host that asks for more patience than this is not waited for. */
const longestWaitMs = 5 * 60_000;
const mostRounds = 5;
const firstBackoffMs = 1000;
const remembered = 10_000;

export function createHostGates(clock: Clock): HostGates {
  const gates = new Map<string, Gate>();

  function gateOf(host: string): Gate {
    const known = gates.get(host);
    if (known) return known;
    const gate: Gate = { active: 0, nextAt: 0, rounds: 0, refusedAt: Number.NEGATIVE_INFINITY };
    gates.set(host, gate);
    if (gates.size > remembered) forgetIdle();
    return gate;
  }

  function forgetIdle(): void {
    const now = clock.monotonic();
    for (const [host, gate] of gates) {
      if (gate.active === 0 && gate.nextAt <= now && gate.rounds === 0) gates.delete(host);
    }
  }

  return {
    wait(host, { spacingMs, width }) {
      const gate = gateOf(host);
      // After a refusal one request finds out whether the host has come round.
      const atATime = spacingMs > 0 || gate.rounds > 0 ? 1 : width;
      if (gate.active >= atATime) return Number.POSITIVE_INFINITY;
      return Math.max(0, gate.nextAt - clock.monotonic());
    },
    enter(host, { spacingMs }) {
      const gate = gateOf(host);
      const beganAt = clock.monotonic();
      gate.active++;
      gate.nextAt = Math.max(gate.nextAt, beganAt + spacingMs);
      return {
        leave() {
          gate.active--;
          if (beganAt >= gate.refusedAt) gate.rounds = 0;
        },
        refused(retryAfterMs) {
          gate.active--;
          if (beganAt >= gate.refusedAt) {
            gate.rounds++;
            gate.refusedAt = clock.monotonic();
          }
          const backoffMs = retryAfterMs ?? firstBackoffMs * 2 ** (gate.rounds - 1);
          if (backoffMs > longestWaitMs || gate.rounds >= mostRounds) return 'give up';
          gate.nextAt = Math.max(gate.nextAt, clock.monotonic() + backoffMs);
          return 'try again';
        },
      };
    },
  };
}
