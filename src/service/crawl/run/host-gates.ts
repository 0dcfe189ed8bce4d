import type { Clock } from '../../clock.ts';

/** Paces the requests to each host, across all jobs. */
export interface HostGates {
  /** Returns the milliseconds until a request may start: 0 for now, Infinity if another one has to end first. */
  wait(host: string, pace: Pace): number;
  /** Starts a request. */
  enter(host: string, pace: Pace): Visit;
}

export interface Pace {
  /** Milliseconds from the start of one request to the start of the next; if not 0, requests run one at a time. */
  spacingMs: number;
  /** Most requests at the same time. */
  width: number;
}

/** A request to a host that is in progress. */
export interface Visit {
  /** Ends the request: the host responded, or failed to. */
  leave(): void;
  /** Ends the request: the host is rate limiting, for `retryAfterMs` if it said so. Returns what to do about that. */
  refused(retryAfterMs: number | undefined): 'try again' | 'give up';
}

interface Gate {
  active: number;
  nextAt: number;
  /** Consecutive refusals; those of one burst count as one. */
  rounds: number;
  refusedAt: number;
}

/** Hosts that ask for a longer wait than this are given up. */
const longestWaitMs = 5 * 60_000;
const maxRounds = 5;
const firstBackoffMs = 1000;
const maxGates = 10_000;

export function createHostGates(clock: Clock): HostGates {
  const gates = new Map<string, Gate>();

  function gateOf(host: string): Gate {
    const known = gates.get(host);
    if (known) return known;
    const gate: Gate = { active: 0, nextAt: 0, rounds: 0, refusedAt: Number.NEGATIVE_INFINITY };
    gates.set(host, gate);
    if (gates.size > maxGates) forgetIdle();
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
      // After a refusal, a single request tests whether the host accepts requests again.
      const maxActive = spacingMs > 0 || gate.rounds > 0 ? 1 : width;
      if (gate.active >= maxActive) return Number.POSITIVE_INFINITY;
      return Math.max(0, gate.nextAt - clock.monotonic());
    },
    enter(host, { spacingMs }) {
      const gate = gateOf(host);
      const startedAt = clock.monotonic();
      gate.active++;
      gate.nextAt = Math.max(gate.nextAt, startedAt + spacingMs);
      return {
        leave() {
          gate.active--;
          if (startedAt >= gate.refusedAt) gate.rounds = 0;
        },
        refused(retryAfterMs) {
          gate.active--;
          if (startedAt >= gate.refusedAt) {
            gate.rounds++;
            gate.refusedAt = clock.monotonic();
          }
          const backoffMs = retryAfterMs ?? firstBackoffMs * 2 ** (gate.rounds - 1);
          if (backoffMs > longestWaitMs || gate.rounds >= maxRounds) return 'give up';
          gate.nextAt = Math.max(gate.nextAt, clock.monotonic() + backoffMs);
          return 'try again';
        },
      };
    },
  };
}
