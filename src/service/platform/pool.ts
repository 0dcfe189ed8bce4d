import { createHoldings, createTurns, mayHave } from './turns.ts';

/**
 * Creates slots that teams share, each for one piece of work.
 * @param shares how many slots there are in addition to `count`, one for each team that has none
 */
export function createPool(count: number, shares: number) {
  const waiting = createTurns<() => void>();
  const holdings = createHoldings();
  const isFree = (team: string) => mayHave(holdings, team, count, shares);

  function take(team: string): () => void {
    holdings.change(team, 1);
    return () => {
      holdings.change(team, -1);
      while (waiting.size > 0) {
        const next = waiting.take(isFree);
        if (!next) return;
        next();
      }
    };
  }

  return {
    /** Resolves to a function that releases the slot. Rejects when `signal` aborts. */
    async acquire(team: string, signal: AbortSignal): Promise<() => void> {
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
