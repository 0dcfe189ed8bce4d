import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../clock.ts';

/** Returns memory to the system after crawls: V8 keeps what it has as long as nothing new is allocated. */
export type IdleMemory = ReturnType<typeof createIdleMemory>;

/** Connections and threads that a job used have ended by then. */
const idleMs = 10_000;
/** Fewer pages leave little behind, and collecting it blocks the thread for a tenth of a second. */
const minPages = 500;

/** @param collect collects garbage in the current thread */
export function createIdleMemory(clock: Pick<Clock, 'after'>, collect: () => void = collectGarbage) {
  let cancel = () => {};
  let sinceLast = 0;
  return {
    /** Notes that a job runs. */
    busy: (): void => cancel(),
    /** Notes that no job runs, and the pages of the last one. If none follows for some seconds, garbage is collected. */
    idle(pages: number): void {
      cancel();
      sinceLast += pages;
      if (sinceLast < minPages) return;
      cancel = clock.after(idleMs, () => {
        sinceLast = 0;
        collect();
      });
    },
  };
}

/** Collects the garbage of the current thread and returns its memory to the system, which takes a tenth of a second. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;
  setFlagsFromString('--no-expose-gc');
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
