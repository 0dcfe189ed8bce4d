import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { ServiceError } from '../../../platform/errors.ts';
import { startThread } from '../../../platform/system/start-thread.ts';
import type { IndexTasks } from './thread.ts';

// In the built service `import.meta.dirname` is dist/, where the thread is bundled.
const program = import.meta.dirname.endsWith(join('docs-search', 'thread'))
  ? join(import.meta.dirname, 'thread.ts')
  : join(import.meta.dirname, 'docs-index.cjs');

const stopping = 'The service is stopping.';

/** The indexes of texts, which a thread of their own builds, stores and searches: nothing else waits for them, however large they are. */
export type Indexes = ReturnType<typeof createIndexes>;

export function createIndexes(passagesInMemory: number) {
  let thread: Worker | undefined;
  let closed = false;
  let lastId = 0;
  const waiting = new Map<number, PromiseWithResolvers<never>>();

  function lose(worker: Worker, reason: string): void {
    if (thread !== worker) return;
    thread = undefined;
    for (const { reject } of waiting.values()) reject(new ServiceError(503, reason));
    waiting.clear();
  }

  function start(): Worker {
    const worker = startThread(program, { name: 'docs', workerData: { passagesInMemory } });
    worker.unref();
    worker.on('message', ({ id, result, failure }: { id: number; result: never; failure?: string }) => {
      const asked = waiting.get(id);
      waiting.delete(id);
      if (failure === undefined) asked?.resolve(result);
      else asked?.reject(new Error(failure));
    });
    for (const end of ['error', 'exit'])
      worker.on(end, () =>
        lose(worker, 'The thread that searches the docs stopped, perhaps for lack of memory. Try again.'),
      );
    return worker;
  }

  return {
    /** Rejects with an Error that says what failed. */
    async run<Task extends keyof IndexTasks>(
      task: Task,
      ...given: Parameters<IndexTasks[Task]>
    ): Promise<Awaited<ReturnType<IndexTasks[Task]>>> {
      if (closed) throw new ServiceError(503, stopping);
      try {
        thread ??= start();
      } catch {
        throw new ServiceError(503, "The system couldn't start a thread for the docs. Try again.");
      }
      const id = ++lastId;
      const asked = Promise.withResolvers<never>();
      waiting.set(id, asked);
      thread.postMessage({ id, task, given });
      return await asked.promise;
    },
    close(): void {
      closed = true;
      const worker = thread;
      if (!worker) return;
      lose(worker, stopping);
      void worker.terminate();
    },
  };
}
