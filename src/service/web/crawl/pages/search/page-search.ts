import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../../../platform/clock.ts';
import { startThread } from '../../../../platform/system/start-thread.ts';
import type { SearchAnswer, SearchedJob, SearchMessage, SearchRequest, SearchTask, SearchThreadData } from './tasks.ts';

export type PageSearch = ReturnType<typeof createPageSearch>;

// In the built service `import.meta.dirname` is dist/, where the thread is bundled.
const program = import.meta.dirname.endsWith(join('pages', 'search'))
  ? join(import.meta.dirname, 'thread.ts')
  : join(import.meta.dirname, 'page-search.cjs');
/** A thread that has had nothing to do for this long is stopped. */
const idleMs = 60_000;

/** Searches the text of pages on a separate thread, which indexes them first. */
export function createPageSearch(paths: SearchThreadData, clock: Clock) {
  let thread: Worker | undefined;
  let closed = false;
  let lastId = 0;
  let cancelIdle: () => void = () => undefined;
  const waiting = new Map<number, { resolve(answer: SearchAnswer): void; reject(error: Error): void }>();

  function start(): Worker {
    const worker = startThread(program, { workerData: paths });
    worker.unref();
    const lost = (error: Error) => {
      if (thread !== worker) return;
      thread = undefined;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    };
    worker.on('message', (message: SearchMessage) => {
      if (message.kind === 'idle') {
        cancelIdle();
        if (thread === worker)
          cancelIdle = clock.after(idleMs, () => {
            if (waiting.size === 0) void stop();
          });
        return;
      }
      const asked = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.kind === 'answer') asked?.resolve(message.answer);
      else asked?.reject(new Error(`The pages could not be searched: ${message.message}`));
    });
    worker.on('error', lost);
    worker.on('exit', () => lost(new Error('The search thread stopped unexpectedly. Search again.')));
    return worker;
  }

  async function stop(): Promise<void> {
    cancelIdle();
    const worker = thread;
    thread = undefined;
    await worker?.terminate();
  }

  /** Returns false if the system has no memory for the thread. */
  function send(task: SearchTask): boolean {
    if (closed) return false;
    cancelIdle();
    try {
      thread ??= start();
    } catch {
      return false;
    }
    thread.postMessage(task);
    return true;
  }

  return {
    search(request: SearchRequest): Promise<SearchAnswer> {
      if (closed) return Promise.reject(new Error('The service is shutting down.'));
      const id = ++lastId;
      const { promise, resolve, reject } = Promise.withResolvers<SearchAnswer>();
      waiting.set(id, { resolve, reject });
      if (!send({ kind: 'search', id, request })) {
        waiting.delete(id);
        reject(new Error("The system couldn't start a thread to search the pages. Search again."));
      }
      return promise;
    },
    /** Indexes a job in the background. What can't be indexed or removed now is left to the next search. */
    index: (team: string, job: SearchedJob): void => void send({ kind: 'index', team, jobs: [job] }),
    /** Removes jobs that no longer exist from the index. */
    sweep(): void {
      if (thread || existsSync(paths.index)) send({ kind: 'sweep' });
    },
    async close(): Promise<void> {
      closed = true;
      await stop();
      for (const { reject } of waiting.values()) reject(new Error('The service is shutting down.'));
      waiting.clear();
    },
  };
}
