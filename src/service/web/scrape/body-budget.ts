import { bodySteps } from '../../platform/network/fetch.ts';
import { createPool } from '../../platform/pool.ts';

/** Limits the memory of pages that are being loaded or wait for their conversion. */
export type BodyBudget = ReturnType<typeof createBodyBudget>;

/** The memory that one scrape's page may take. */
export type BodyAccount = ReturnType<BodyBudget['open']>;

/** How many bodies may exceed each step of `bodySteps` at the same time. */
const bodiesOverStep = [48, 12] as const;
/** How many more may, one for each team that has none. */
const shares = 4;

/** @param counts how many bodies may exceed each step at the same time */
export function createBodyBudget(counts: readonly number[] = bodiesOverStep) {
  const pools = counts.map((count) => createPool(count, shares));
  return {
    /** Opens the account of one scrape. */
    open(team: string) {
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
        /** Waits until a body may take `bytes` of memory; returns undefined if it already may. Rejects when `signal` aborts. */
        reserve(bytes: number, signal: AbortSignal | (() => AbortSignal)): Promise<void> | undefined {
          const level = bodySteps.findLastIndex((step) => bytes > step);
          return level < held.length ? undefined : acquire(level, typeof signal === 'function' ? signal() : signal);
        },
        /** Frees the memory. */
        release(): void {
          released = true;
          for (const release of held.splice(0)) release();
        },
      };
    },
  };
}
