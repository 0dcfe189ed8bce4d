import { bodySteps } from '../fetch/fetch.ts';
import { createHoldings, createTurns } from '../turns.ts';

/** Limits the memory of pages that are being loaded or wait for their conversion. */
export interface BodyBudget {
  /** Opens the account of one scrape. */
  open(team: string): BodyAccount;
}

/** The memory that one scrape's page may take. */
export interface BodyAccount {
  /** Waits until a body may take `bytes` of memory; returns undefined if it already may. Rejects when `signal` aborts. */
  reserve(bytes: number, signal: AbortSignal): Promise<void> | undefined;
  /** Frees the memory. */
  release(): void;
}

/** How many bodies may exceed each step of `bodySteps` at the same time. */
const bodiesOverStep = [48, 12] as const;
/** How many more may, one for each team that has none. */
const shares = 4;

/** @param counts how many bodies may exceed each step at the same time */
export function createBodyBudget(counts: readonly number[] = bodiesOverStep): BodyBudget {
  const pools = counts.map(createPool);
  return {
    open(team) {
      const held: (() => void)[] = [];
      let released = false;

      async function acquire(level: number, signal: AbortSignal): Promise<void> {
        while (held.length <= level) {
          const release = await pools[held.length]?.acquire(team, signal);
          if (!release) return;
          if (released) return release();
          held.push(release);
        }
      }

      return {
        reserve(bytes, signal) {
          const level = bodySteps.findLastIndex((step) => bytes > step);
          return level < held.length ? undefined : acquire(level, signal);
        },
        release() {
          released = true;
          for (const release of held.splice(0)) release();
        },
      };
    },
  };
}

interface Pool {
  /** Resolves to a function that gives the place back. */
  acquire(team: string, signal: AbortSignal): Promise<() => void>;
}

function createPool(count: number): Pool {
  const waiting = createTurns<() => void>();
  const holdings = createHoldings();
  let taken = 0;

  function isFree(team: string): boolean {
    return taken < count || (holdings.of(team) === 0 && taken < count + shares);
  }

  function take(team: string): () => void {
    taken++;
    holdings.change(team, 1);
    return () => {
      taken--;
      holdings.change(team, -1);
      while (waiting.size > 0) {
        const next = waiting.take(isFree);
        if (!next) return;
        next();
      }
    };
  }

  return {
    async acquire(team, signal) {
      signal.throwIfAborted();
      if (isFree(team)) return take(team);
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const grant = () => resolve(take(team));
      const cancel = () => {
        if (waiting.remove(team, grant)) reject(signal.reason);
      };
      waiting.add(team, grant);
      signal.addEventListener('abort', cancel, { once: true });
      return await promise.finally(() => signal.removeEventListener('abort', cancel));
    },
  };
}
