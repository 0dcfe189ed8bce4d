import type { Clock } from '../clock.ts';
import type { Fleet } from './fleet.ts';

/** Notices that a machine has vanished while connections to it are open: TCP by itself takes minutes. */
export type NodeWatch = ReturnType<typeof createNodeWatch>;

const lookMs = 5_000;

/** Looks at the fleet's nodes only as long as one is watched. */
export function createNodeWatch(fleet: Pick<Fleet, 'nodes'>, clock: Clock) {
  const watched = new Map<() => void, string>();
  let missing = new Set<string>();
  let isTimed = false;

  function plan(): void {
    if (isTimed || watched.size === 0) return;
    isTimed = true;
    clock.after(lookMs, () => void look());
  }

  async function look(): Promise<void> {
    try {
      const living = new Set((await fleet.nodes()).map(({ id }) => id));
      const gone = new Set([...watched.values()].filter((node) => !living.has(node)));
      // A node that stops by itself still finishes its answers when it is no longer listed.
      const stillGone = new Set([...gone].filter((node) => missing.has(node)));
      missing = gone;
      for (const [onGone, node] of [...watched]) {
        if (!stillGone.has(node)) continue;
        watched.delete(onGone);
        onGone();
      }
    } catch {
      // The database can't be reached: nobody knows.
    } finally {
      isTimed = false;
      plan();
    }
  }

  return {
    /** Calls `onGone` when the node is no longer one of the fleet. Returns a function that ends the watch. */
    watch(node: string, onGone: () => void): () => void {
      // Each is a watch of its own, also of the same function.
      const own = () => onGone();
      watched.set(own, node);
      plan();
      return () => void watched.delete(own);
    },
  };
}
