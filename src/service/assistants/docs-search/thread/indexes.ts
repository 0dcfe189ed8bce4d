import { once } from 'node:events';
import { join } from 'node:path';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { currentAsker } from '../../../platform/asker.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { createPool } from '../../../platform/pool.ts';
import { startThread } from '../../../platform/system/start-thread.ts';
import type { IndexTasks } from './thread.ts';

// In the built service `import.meta.dirname` is dist/, where the thread is bundled and the index is.
const isBuilt = !import.meta.dirname.endsWith(join('docs-search', 'thread'));
const program = join(import.meta.dirname, isBuilt ? 'docs-index.cjs' : 'thread.ts');
/** Path of the index of the product's own texts. */
export const referenceIndexPath = join(import.meta.dirname, isBuilt ? '.' : '../../../../../dist', 'docs-index.sqlite');

/** Opens the indexes of texts, which a thread of their own builds, stores and searches: nothing else waits for them, however large they are. */
export function createIndexes() {
  let thread: Worker | undefined;
  const closing = new AbortController();
  /** For questions, so that however many a team asks, those of others soon have their turn. */
  const pool = createPool(2, 8);

  function start(): Worker {
    const worker = startThread(program, { name: 'docs' });
    worker.unref();
    const end = () => {
      if (thread === worker) thread = undefined;
    };
    return worker.on('error', end).on('exit', end);
  }

  return {
    /** Rejects with an Error that says what failed. */
    async run<Task extends keyof IndexTasks>(
      task: Task,
      ...given: Parameters<IndexTasks[Task]>
    ): Promise<Awaited<ReturnType<IndexTasks[Task]>>> {
      closing.signal.throwIfAborted();
      const release = task === 'ask' ? await pool.acquire(currentAsker()?.team ?? '', closing.signal) : undefined;
      try {
        thread ??= start();
      } catch {
        release?.();
        throw new ServiceError(503, "The system couldn't start a thread for the docs. Try again.");
      }
      const { port1: here, port2: port } = new MessageChannel();
      thread.postMessage({ task, given, port }, [port]);
      // A thread that ends closes its port.
      const answered = Promise.race([once(here, 'message'), once(here, 'close').then(() => [])]);
      const [reply] = await answered.finally(release);
      if (reply?.failure !== undefined)
        throw Object.assign(new Error(reply.failure), { code: reply.code, errcode: reply.errcode });
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
