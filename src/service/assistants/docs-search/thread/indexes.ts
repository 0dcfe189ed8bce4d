import type { Worker } from 'node:worker_threads';
import { currentAsker } from '../../../platform/asker.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { createPool } from '../../../platform/pool.ts';
import { askThread, startDocsThread } from './ask-thread.ts';
import type { DocsTasks } from './thread.ts';

/** Opens the indexes of texts, which a thread of their own builds, stores and searches: nothing else waits for them, however large they are. */
export function createIndexes() {
  let thread: Worker | undefined;
  const closing = new AbortController();
  /** For questions, so that however many a team asks, those of others soon have their turn. */
  const pool = createPool(2, 8);

  function start(): Worker {
    const worker = startDocsThread();
    return worker.on('exit', () => {
      if (thread === worker) thread = undefined;
    });
  }

  return {
    /** Rejects with an Error that says what failed. */
    async run<Task extends keyof DocsTasks>(
      task: Task,
      ...given: Parameters<DocsTasks[Task]>
    ): Promise<Awaited<ReturnType<DocsTasks[Task]>>> {
      closing.signal.throwIfAborted();
      const release = task === 'ask' ? await pool.acquire(currentAsker()?.team ?? '', closing.signal) : undefined;
      try {
        thread ??= start();
      } catch {
        release?.();
        throw new ServiceError(503, "The system couldn't start a thread for the docs. Try again.");
      }
      const reply = await askThread(thread, task, given).finally(release);
      if (reply) return reply.result;
      closing.signal.throwIfAborted();
      throw new ServiceError(503, 'The thread that searches the docs stopped, perhaps for lack of memory. Try again.');
    },
    close(): void {
      closing.abort(new ServiceError(503, 'The service is stopping.'));
      void thread?.terminate();
    },
  };
}
