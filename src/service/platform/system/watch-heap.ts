import { Worker } from 'node:worker_threads';

/** The heap that V8 lets a watched thread have, in MiB: more than its longest text and all else together. */
const most = 1400;
/** How often the heap of a thread that works is looked at, in milliseconds. */
const lookMs = 50;

const canLook = 'getHeapStatistics' in Worker.prototype;

/**
 * Returns V8's limit for a thread that is watched. V8 ends the thread at its limit only if its heap grows little by little: one
 * allocation of more than 16 MiB beyond it, such as that of a long text, ends the whole process.
 * @param mebibytes at which it is to end
 */
export function limitOfWatched(mebibytes: number): number {
  return canLook ? most : mebibytes;
}

/**
 * Calls `onOver` once the heap of a thread is larger than this, which V8 hasn't cleared of garbage for a while. Returns a function
 * that ends the watch.
 */
export function watchHeap(worker: Worker, mebibytes: number, onOver: () => void): () => void {
  if (!canLook) return () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    const looking = timer;
    // A thread that has ended has no heap.
    const { used_heap_size: used = 0 } = (await worker.getHeapStatistics().catch(() => undefined)) ?? {};
    if (timer !== looking) return;
    if (used > mebibytes * 1024 * 1024) onOver();
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
