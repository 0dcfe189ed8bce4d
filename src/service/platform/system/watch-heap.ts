import { Worker } from 'node:worker_threads';

/** The least heap that V8 lets a watched thread have, in MiB: more than its longest text and all else together. */
const least = 1400;
/** How often the heap of a thread that works is looked at, in milliseconds. */
const lookMs = 50;

const canLook = 'getHeapStatistics' in Worker.prototype;

/**
 * Returns V8's limit for a thread that is watched. V8 ends the thread at its limit only if its heap grows little by little: one
 * allocation of more than 16 MiB beyond it, such as that of a long text, ends the whole process.
 * @param mebibytes at which it is to end
 */
export function limitOfWatched(mebibytes: number): number {
  return canLook ? Math.max(least, 1.4 * mebibytes) : mebibytes;
}

/** Returns the processor time of a thread in milliseconds; 0 where Node.js can't tell, and once the thread has ended. */
export async function processorMs(worker: Worker): Promise<number> {
  const used = await (worker as Partial<Worker>).cpuUsage?.call(worker).catch(() => undefined);
  return used ? (used.user + used.system) / 1000 : 0;
}

/** Returns what the heap of a thread takes, in bytes; 0 where Node.js can't tell, and once the thread has ended. */
export async function heapBytes(worker: Worker): Promise<number> {
  const heap = canLook ? await worker.getHeapStatistics().catch(() => undefined) : undefined;
  return heap?.total_heap_size ?? 0;
}

/**
 * Calls `onOver` once the heap of a thread is larger than this, which V8 hasn't cleared of garbage for a while, or its buffers are,
 * which V8 has no limit for, or once it has used more processor time. Returns a function that ends the watch.
 * @param mostMs from now on
 */
export function watchHeap(
  worker: Worker,
  mebibytes: number,
  onOver: (what: 'memory' | 'time') => void,
  mostMs = Number.POSITIVE_INFINITY,
): () => void {
  if (!canLook) return () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const before = processorMs(worker);
  const look = async () => {
    const looking = timer;
    // A thread that has ended has no heap.
    const memory = worker.getHeapStatistics().catch(() => undefined);
    const [from, now, { used_heap_size: heap = 0, external_memory: buffers = 0 } = {}] = await Promise.all([
      before,
      processorMs(worker),
      memory,
    ]);
    if (timer !== looking) return;
    if (Math.max(heap, buffers) > mebibytes * 1024 * 1024) onOver('memory');
    else if (now - from > mostMs) onOver('time');
    else next();
  };
  const next = () => {
    timer = setTimeout(look, lookMs).unref();
  };
  next();
  return () => {
    clearTimeout(timer);
    timer = undefined;
  };
}
