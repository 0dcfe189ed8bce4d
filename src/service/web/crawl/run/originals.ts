import { type Frontier, type NewPage, pageStates, type WaitingPage } from '../store/frontier.ts';

/** Pages that wait are kept in memory. */
const maxHeld = 200;

/**
 * Holds pages that were read and wait for another one, such as the one that they name as the original: only then it is known
 * what they are.
 * @param onHeld called when a page begins to wait, so that others can be read
 */
export function createOriginals(
  job: number,
  frontier: Pick<Frontier, 'known'>,
  store: { readonly full: boolean; add(pages: readonly NewPage[]): Promise<void> },
  onHeld: () => void,
) {
  const waiting = new Map<string, Set<() => void>>();
  let held = 0;

  /** Pages that others wait for and that wait to be read, by identity. */
  const unread = new Map<string, { page: WaitingPage; origin: string }>();

  const isOpen = async ({ identity, origin }: NewPage): Promise<boolean> => {
    const page = await frontier.known(job, identity);
    if (page?.state !== pageStates.waiting) return false;
    unread.set(identity, { page, origin });
    return true;
  };

  function resume(identity: string): void {
    const resumes = waiting.get(identity) ?? [];
    waiting.delete(identity);
    unread.delete(identity);
    for (const each of resumes) each();
  }

  /** @param begin what to do once the page waits; whether it has to */
  async function wait(key: string, begin: () => Promise<boolean>): Promise<void> {
    if (held >= maxHeld) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const resumes = waiting.get(key) ?? new Set();
    waiting.set(key, resumes.add(resolve));
    try {
      if (!(await begin())) return;
      held++;
      onHeld();
      await promise.finally(() => held--);
    } finally {
      resumes.delete(resolve);
    }
  }

  return {
    /** Pages that wait. */
    get held() {
      return held;
    },
    /** Pages that others wait for, with their origins. */
    unread: () => [...unread.values()],
    /** Waits until a page is settled, and has the crawl read it if it wasn't found yet. */
    settled: (original: NewPage) =>
      wait(original.identity, async () => {
        if (!store.full) await store.add([original]);
        return await isOpen(original);
      }),
    /** Waits until something is noted. */
    noted: (key: string) => wait(key, async () => true),
    /** Notes that a page was settled, or something else that pages wait for. */
    note: resume,
    /** Ends all waits: nothing else is left to do. */
    release() {
      for (const identity of [...waiting.keys()]) resume(identity);
    },
  };
}
