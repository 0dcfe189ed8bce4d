import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../clock.ts';

/** Returns memory to the system after jobs: V8 keeps what it has as long as nothing new is allocated. */
export type IdleMemory = ReturnType<typeof createIdleMemory>;

/** Connections and threads that a job used have ended by then. */
const idleMs = 10_000;
/** Collecting blocks the thread for a tenth of a second: not for a heap that has grown by less than this, in bytes. */
const minGrowth = 24 * 1024 * 1024;

/**
 * @param collect collects garbage in the current thread
 * @param heapBytes what the heap of the current thread takes, garbage and free room included
 */
export function createIdleMemory(
  clock: Pick<Clock, 'after'>,
  collect: () => void = collectGarbage,
  heapBytes: () => number = heapOfThread,
) {
  let cancel = () => {};
  let kept = heapBytes();
  return {
    /** Notes that a job runs. */
    busy: (): void => cancel(),
    /** Notes that no job runs. If none follows for some seconds and the heap has grown, garbage is collected. */
    idle(): void {
      cancel();
      cancel = clock.after(idleMs, () => {
        if (heapBytes() < kept + minGrowth) return;
        collect();
        kept = heapBytes();
      });
    },
  };
}

function heapOfThread(): number {
  const { total_heap_size: heap, external_memory: buffers } = getHeapStatistics();
  return heap + buffers;
}

/** Collects the garbage of the current thread and returns its memory to the system, which takes a tenth of a second. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;
  setFlagsFromString('--no-expose-gc');
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
