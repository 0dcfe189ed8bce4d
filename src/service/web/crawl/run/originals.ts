import { type Frontier, type NewPage, pageStates } from '../store/frontier.ts';

/** Pages that were read and wait for the one that they name as the original: only then it is known whether they repeat it. */
export interface Originals {
  /** Pages that wait. */
  readonly held: number;
  /** Waits until a page is settled, and has the crawl read it if it wasn't found yet. */
  settled(original: NewPage): Promise<void>;
  /** Notes that a page was settled. */
  note(identity: string): void;
  /** Ends all waits: nothing else is left to do. */
  release(): void;
}

/** Pages that wait are kept in memory. */
const maxHeld = 200;

/** @param onHeld called when a page begins to wait, so that others can be read */
export function createOriginals(
  job: number,
  frontier: Pick<Frontier, 'known'>,
  store: { readonly full: boolean; add(pages: readonly NewPage[]): Promise<void> },
  onHeld: () => void,
): Originals {
  const waiting = new Map<string, Set<() => void>>();
  let held = 0;

  const isOpen = async ({ identity }: NewPage): Promise<boolean> => {
    const known = await frontier.known(job, identity);
    return known?.state === pageStates.waiting;
  };

  function resume(identity: string): void {
    const resumes = waiting.get(identity) ?? [];
    waiting.delete(identity);
    for (const each of resumes) each();
  }

  return {
    get held() {
      return held;
    },
    async settled(original) {
      if (held >= maxHeld) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const { identity } = original;
      const resumes = waiting.get(identity) ?? new Set();
      waiting.set(identity, resumes.add(resolve));
      held++;
      try {
        if (!store.full) await store.add([original]);
        if (!(await isOpen(original))) return;
        onHeld();
        await promise;
      } finally {
        held--;
        resumes.delete(resolve);
      }
    },
    note: resume,
    release() {
      for (const identity of [...waiting.keys()]) resume(identity);
    },
  };
}
