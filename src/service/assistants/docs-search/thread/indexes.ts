import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { ServiceError } from '../../../platform/errors.ts';
import { startThread } from '../../../platform/system/start-thread.ts';
import type { IndexMessage, IndexSize, IndexTask } from './tasks.ts';

/** The indexes of texts, which a thread of their own builds, stores and searches: nothing else waits for them, however large they are. */
export interface Indexes {
  /** Rejects with an Error that says what failed. */
  run<Result = IndexSize>(task: IndexTask): Promise<Result>;
  close(): void;
}

// In the built service `import.meta.dirname` is dist/, where the thread is bundled.
const program = import.meta.dirname.endsWith(join('docs-search', 'thread'))
  ? join(import.meta.dirname, 'thread.ts')
  : join(import.meta.dirname, 'docs-index.cjs');

export function createIndexes(passagesInMemory: number): Indexes {
  let thread: Worker | undefined;
  let closed = false;
  let lastId = 0;
  const waiting = new Map<number, PromiseWithResolvers<never>>();

  function lose(worker: Worker, error: Error): void {
    if (thread !== worker) return;
    thread = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  function start(): Worker {
    const worker = startThread(program, { name: 'docs', workerData: { passagesInMemory } });
    worker.unref();
    worker.on('message', (message: IndexMessage) => {
      const asked = waiting.get(message.id);
      waiting.delete(message.id);
      if ('failure' in message) asked?.reject(new Error(message.failure));
      else asked?.resolve(message.result as never);
    });
    worker.on('error', () => lose(worker, stopped()));
    worker.on('exit', () => lose(worker, stopped()));
    return worker;
  }

  function run<Result>(task: IndexTask): Promise<Result> {
    if (closed) return Promise.reject(stopping());
    const id = ++lastId;
    const asked = Promise.withResolvers<never>();
    try {
      thread ??= start();
    } catch {
      return Promise.reject(new ServiceError(503, "The system couldn't start a thread for the docs. Try again."));
    }
    waiting.set(id, asked);
    thread.postMessage({ id, task });
    return asked.promise;
  }

  return {
    run,
    close() {
      closed = true;
      const worker = thread;
      if (!worker) return;
      lose(worker, stopping());
      void worker.terminate();
    },
  };
}

function stopped(): ServiceError {
  return new ServiceError(503, 'The thread that searches the docs stopped, perhaps for lack of memory. Try again.');
}

function stopping(): ServiceError {
  return new ServiceError(503, 'The service is stopping.');
}
