import { once } from 'node:events';
import { join } from 'node:path';
import { MessageChannel, type Worker, type WorkerOptions } from 'node:worker_threads';
import { currentAsker } from '../../../platform/asker.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { createPool } from '../../../platform/pool.ts';
import { startThread } from '../../../platform/system/start-thread.ts';
import type { DocsTasks } from './thread.ts';

// In the built service `import.meta.dirname` is dist/, where the thread is bundled and the index is.
const isBuilt = !import.meta.dirname.endsWith(join('docs-search', 'thread'));
const program = join(import.meta.dirname, isBuilt ? 'docs-index.cjs' : 'thread.ts');
/** Path of the index of the product's own texts. */
export const referenceIndexPath = join(import.meta.dirname, isBuilt ? '.' : '../../../../../dist', 'docs-index.sqlite');

/** Starts a thread for the docs, which keeps no process alive. Its faults are learned from tasks that it doesn't answer. */
export function startDocsThread(options?: WorkerOptions): Worker {
  const worker = startThread(program, { name: 'docs', ...options });
  worker.unref();
  return worker.on('error', () => undefined);
}

/** Has a thread do a task for who asks here. Resolves to nothing if it ends before. Rejects with an Error that says what failed. */
export async function askThread<Task extends keyof DocsTasks>(
  worker: Worker,
  task: Task,
  given: Parameters<DocsTasks[Task]>,
): Promise<{ result: Awaited<ReturnType<DocsTasks[Task]>> } | undefined> {
  const { port1: here, port2: port } = new MessageChannel();
  worker.postMessage({ task, given, port, team: currentAsker()?.team ?? '' }, [port]);
  // A thread that ends closes its port.
  const [reply] = await Promise.race([once(here, 'message'), once(here, 'close').then(() => [])]);
  if (reply?.failure === undefined) return reply;
  throw Object.assign(new Error(reply.failure), { code: reply.code, errcode: reply.errcode });
}

/** Opens the indexes of texts, which a thread of their own builds, stores and searches: nothing else waits for them, however large they are. */
export function createIndexes() {
  let thread: Worker | undefined;
  const closing = new AbortController();
  const { signal } = closing;
  const indexing = createPool(1, 8);
  /** For what takes long, so that however much of it a team asks for, that of others soon has its turn. */
  const pools: Partial<Record<keyof DocsTasks, typeof indexing>> = {
    ask: createPool(2, 8),
    indexFiles: indexing,
    addPages: indexing,
    indexPages: indexing,
  };

  return {
    /** Aborts when they are closed. */
    signal,
    /** Rejects with an Error that says what failed. */
    async run<Task extends keyof DocsTasks>(
      task: Task,
      ...given: Parameters<DocsTasks[Task]>
    ): Promise<Awaited<ReturnType<DocsTasks[Task]>>> {
      const release = await pools[task]?.acquire(currentAsker()?.team ?? '', signal);
      try {
        signal.throwIfAborted();
        thread ??= startDocsThread().on('exit', () => {
          thread = undefined;
        });
      } catch {
        release?.();
        signal.throwIfAborted();
        throw new ServiceError(503, "The system couldn't start a thread for the docs. Try again.");
      }
      const reply = await askThread(thread, task, given).finally(release);
      if (reply) return reply.result;
      signal.throwIfAborted();
      throw new ServiceError(503, 'The thread that searches the docs stopped, perhaps for lack of memory. Try again.');
    },
    close(): void {
      closing.abort(new ServiceError(503, 'The service is stopping.'));
      void thread?.terminate();
    },
  };
}
