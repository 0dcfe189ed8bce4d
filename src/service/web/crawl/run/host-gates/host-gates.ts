import type { Clock } from '../../../../platform/clock.ts';
import { createHoldings, type Holdings } from '../../../../platform/turns.ts';

/** How the next requests to a host are paced, so that another node can go on with them. */
export interface Pacing {
  /** Milliseconds until the next request may start, and from each to the next at least. */
  nextIn: number;
  spacingMs: number;
  /** Consecutive refusals. */
  rounds: number;
  /** By team. */
  delayed: Record<string, { nextIn: number; ms: number }>;
  /** Milliseconds for which the host has asked each team to wait. */
  held: Record<string, number>;
}

/** Paces the requests to each host, across all jobs. */
export type HostGates = Pick<ReturnType<typeof createHostGates>, 'wait' | 'enter' | 'onChange'>;

export interface Pace {
  /** Milliseconds from the start of one request to the start of the next; if not 0, requests run one at a time. */
  spacingMs: number;
  /** The same for the crawls of one team that asked for it, if not 0: others don't wait for it. */
  delay?: { team: string; ms: number };
  /** Maximum number of requests at the same time, unless one in progress allows more. Teams that wait get their share of them. */
  width: number;
}

/** A request to a host that is in progress. */
export interface Visit {
  /** Ends the request: the host responded, or failed to. */
  leave(): void;
  /** Ends the request: the host is rate limiting, for `retryAfterMs` if it said so. Returns what to do about that. */
  refused(retryAfterMs: number | undefined): 'try again' | 'give up';
}

interface Line {
  active: number;
  nextAt: number;
  /** The longest wait between two requests that was asked for. */
  ms: number;
}

interface Gate extends Line {
  /** Requests of teams that chose a delay. */
  delayed: Map<string, Line>;
  /** Until when the host has asked each team to wait. What it asks of one may be due to what that one requests. */
  held: Map<string, number>;
  /** How many requests each team has in progress, and when those that wait for others asked last. */
  teams: Holdings;
  waiting: Map<string, number>;
  /** The largest width of the requests since none was in progress. */
  widest: number;
  /** Consecutive refusals; those of one burst count as one. */
  rounds: number;
  refusedAt: number;
}

/** Hosts that ask for a longer wait than this are given up. */
const longestWaitMs = 5 * 60_000;
const maxRounds = 5;
const firstBackoffMs = 1000;
const maxGates = 10_000;
/** How long a team that waits keeps its share without asking again. */
const waitingMs = 5_000;

/** The gates of one service. */
export function createHostGates(clock: Clock) {
  const gates = new Map<string, Gate>();
  /** How many gates there are before idle ones are forgotten. */
  let forgetAt = maxGates;

  function gateOf(host: string): Gate {
    const known = gates.get(host);
    if (known) return known;
    const gate: Gate = {
      active: 0,
      nextAt: 0,
      ms: 0,
      delayed: new Map(),
      held: new Map(),
      teams: createHoldings(),
      waiting: new Map(),
      widest: 0,
      rounds: 0,
      refusedAt: Number.NEGATIVE_INFINITY,
    };
    gates.set(host, gate);
    if (gates.size > forgetAt) {
      forgetIdle();
      // If most can't be forgotten, not again for each new one.
      forgetAt = Math.max(maxGates, 2 * gates.size);
    }
    return gate;
  }

  function forgetIdle(): void {
    const now = clock.monotonic();
    for (const [host, gate] of gates) {
      const lines = [gate, ...gate.delayed.values()];
      const isIdle = lines.every(({ active, nextAt }) => active === 0 && nextAt <= now);
      if (gate.rounds === 0 && isIdle && [...gate.held.values()].every((until) => until <= now)) gates.delete(host);
    }
  }

  /** Returns the lines that a pace applies to: all requests, and those of its team if the team chose a delay. */
  function linesOf(gate: Gate, { delay }: Pace): Line[] {
    if (!delay || delay.ms === 0) return [gate];
    const own = gate.delayed.get(delay.team) ?? { active: 0, nextAt: 0, ms: 0 };
    gate.delayed.set(delay.team, own);
    return [gate, own];
  }

  /** Whether a team has its share of the requests to a host while others wait for theirs. */
  function hasShare({ teams, waiting }: Gate, team: string, most: number): boolean {
    const now = clock.monotonic();
    for (const [other, askedAt] of waiting) if (now - askedAt > waitingMs) waiting.delete(other);
    const others = [...waiting.keys()].filter((other) => other !== team);
    if (others.length === 0) return false;
    const own = teams.of(team);
    const all = teams.size + (own === 0 ? 1 : 0) + others.filter((other) => teams.of(other) === 0).length;
    return own > 0 && own >= most / all;
  }

  return {
    /** Returns the milliseconds until a request may start: 0 for now, Infinity if another one has to end first. */
    wait(host: string, pace: Pace): number {
      const { spacingMs, width } = pace;
      const gate = gateOf(host);
      const [, own] = linesOf(gate, pace);
      // After a refusal, a single request tests whether the host accepts requests again.
      const isSingle = spacingMs > 0 || gate.rounds > 0;
      const most = isSingle ? 1 : Math.max(width, gate.widest);
      const { team = '' } = pace.delay ?? {};
      if (gate.active >= most || hasShare(gate, team, most)) {
        gate.waiting.set(team, clock.monotonic());
        return Number.POSITIVE_INFINITY;
      }
      if (own && own.active > 0) return Number.POSITIVE_INFINITY;
      return Math.max(0, Math.max(gate.nextAt, own?.nextAt ?? 0, gate.held.get(team) ?? 0) - clock.monotonic());
    },
    /** Starts a request. */
    enter(host: string, pace: Pace): Visit {
      const gate = gateOf(host);
      const [, own] = linesOf(gate, pace);
      const { team = '' } = pace.delay ?? {};
      gate.waiting.delete(team);
      gate.widest = gate.active === 0 ? pace.width : Math.max(gate.widest, pace.width);
      const startedAt = clock.monotonic();
      gate.ms = Math.max(gate.ms, pace.spacingMs);
      gate.nextAt = Math.max(gate.nextAt, startedAt + pace.spacingMs);
      if (own) {
        own.ms = Math.max(own.ms, pace.delay?.ms ?? 0);
        own.nextAt = Math.max(own.nextAt, startedAt + (pace.delay?.ms ?? 0));
      }
      const count = (by: number) => {
        gate.active += by;
        if (own) own.active += by;
        gate.teams.change(team, by);
      };
      count(1);
      return {
        leave() {
          count(-1);
          if (startedAt >= gate.refusedAt) gate.rounds = 0;
        },
        refused(retryAfterMs) {
          count(-1);
          if (startedAt >= gate.refusedAt) {
            gate.rounds++;
            gate.refusedAt = clock.monotonic();
          }
          const usualMs = firstBackoffMs * 2 ** (gate.rounds - 1);
          const backoffMs = retryAfterMs ?? usualMs;
          if (backoffMs > longestWaitMs || gate.rounds >= maxRounds) return 'give up';
          const now = clock.monotonic();
          gate.held.set(team, Math.max(gate.held.get(team) ?? 0, now + backoffMs));
          gate.nextAt = Math.max(gate.nextAt, now + Math.min(backoffMs, usualMs));
          return 'try again';
        },
      };
    },
    /** Calls `listener` when requests may start for another reason than that one has ended here. */
    onChange: (_listener: () => void): void => undefined,
    /** Requests to a host that are in progress. */
    activeOf: (host: string): number => gates.get(host)?.active ?? 0,
    pacingOf(host: string): Pacing {
      const now = clock.monotonic();
      const { nextAt, ms, rounds, delayed, held } = gateOf(host);
      const lines = [...delayed].map(([team, line]) => [team, { nextIn: Math.max(0, line.nextAt - now), ms: line.ms }]);
      return {
        nextIn: Math.max(0, nextAt - now),
        spacingMs: ms,
        rounds,
        delayed: Object.fromEntries(lines),
        held: Object.fromEntries([...held].flatMap(([team, until]) => (until > now ? [[team, until - now]] : []))),
      };
    },
    /** Goes on as another node would have. */
    resume(host: string, { nextIn, spacingMs, rounds, delayed, held }: Pacing): void {
      const now = clock.monotonic();
      const gate = gateOf(host);
      gate.nextAt = Math.max(gate.nextAt, now + nextIn);
      gate.ms = Math.max(gate.ms, spacingMs);
      gate.rounds = rounds;
      for (const [team, ms] of Object.entries(held)) gate.held.set(team, Math.max(gate.held.get(team) ?? 0, now + ms));
      for (const [team, line] of Object.entries(delayed)) {
        const { active = 0, nextAt = 0, ms = 0 } = gate.delayed.get(team) ?? {};
        gate.delayed.set(team, { active, nextAt: Math.max(nextAt, now + line.nextIn), ms: Math.max(ms, line.ms) });
      }
    },
  };
}
