import { getOrAdd } from './maps.ts';

/** Waiting work of several teams. Teams take turns, however much one of them has waiting. */
export function createTurns<Item>() {
  /** In the order of their turns. */
  const teams = new Map<string, Item[]>();

  const queueOf = (team: string): Item[] => getOrAdd(teams, team, () => []);

  return {
    get size(): number {
      let size = 0;
      for (const queue of teams.values()) size += queue.length;
      return size;
    },
    add: (team: string, item: Item): void => void queueOf(team).push(item),
    /** Puts work back that was taken but not started: it is its team's next. */
    putBack: (team: string, item: Item): void => void queueOf(team).unshift(item),
    /** Removes the next work: the first of the team whose last turn was the longest ago. Teams for which `may` is false are passed over. */
    take(may: (team: string) => boolean = () => true): Item | undefined {
      for (const [team, queue] of teams) {
        if (!may(team)) continue;
        const item = queue.shift();
        teams.delete(team);
        if (queue.length > 0) teams.set(team, queue);
        return item;
      }
      return undefined;
    },
    /** Returns whether the work was still waiting. */
    remove(team: string, item: Item): boolean {
      const queue = teams.get(team);
      const index = queue?.indexOf(item) ?? -1;
      if (!queue || index === -1) return false;
      queue.splice(index, 1);
      if (queue.length === 0) teams.delete(team);
      return true;
    },
    /** Removes everything. */
    clear(): Item[] {
      const all = [...teams.values()].flat();
      teams.clear();
      return all;
    },
  };
}

/** How much of something each team holds. */
export type Holdings = ReturnType<typeof createHoldings>;

export function createHoldings() {
  const held = new Map<string, number>();
  let total = 0;
  return {
    /** How much all teams hold. */
    get total(): number {
      return total;
    },
    /** How many teams hold any. */
    get size(): number {
      return held.size;
    },
    of: (team: string): number => held.get(team) ?? 0,
    change(team: string, by: number): void {
      total += by;
      const now = (held.get(team) ?? 0) + by;
      if (now === 0) held.delete(team);
      else held.set(team, now);
    },
  };
}

/** Returns whether a team may have one more of `count`, or of `shares` in addition: one for each team that has none. */
export function mayHave(holdings: Holdings, team: string, count: number, shares: number): boolean {
  return holdings.total < count || (holdings.of(team) === 0 && holdings.total < count + shares);
}
