import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';
import { startThread } from '../system/start-thread.ts';
import { limitOfWatched, watchHeap } from '../system/watch-heap.ts';
import type { BodyReply, BodyTask } from './body-thread.ts';

/** A body that is too large to be read where all requests are answered. */
export class LargeBody {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** A body that was read, and sentences about its fields that change nothing. */
export interface ReadBody {
  value: unknown;
  warnings: string[];
}

/** Reads large bodies in a thread: whatever they contain, no other request waits for it. */
export type LargeBodies = ReturnType<typeof createLargeBodies>;

/** Larger bodies than this, in bytes, are read in the thread. */
export const largeBody = 64 * 1024;
/** What the thread may allocate, in MiB. */
const memoryLimit = 512;
/** The thread ends this many milliseconds after its last body. */
const idleMs = 60_000;

// In built programs `import.meta.dirname` is dist/, where the thread is bundled.
const program = import.meta.dirname.endsWith(join('platform', 'http'))
  ? join(import.meta.dirname, 'body-thread.ts')
  : join(import.meta.dirname, 'body-reader.cjs');

export function createLargeBodies() {
  let thread: Worker | undefined;
  let lastId = 0;
  let idle: NodeJS.Timeout | undefined;
  const waiting = new Map<number, { resolve(body: ReadBody): void; reject(error: Error): void }>();

  function start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: limitOfWatched(memoryLimit) };
    const worker = startThread(program, { name: 'bodies', resourceLimits });
    worker.unref();
    worker.on('message', (reply: BodyReply) => {
      const asked = waiting.get(reply.id);
      waiting.delete(reply.id);
      if ('value' in reply) return asked?.resolve({ value: reply.value, warnings: reply.warnings });
      const { status, message, code, details } = reply.error;
      asked?.reject(new ServiceError(status, message, { ...(code && { code }), details }));
    });
    worker.on('error', () => lost(worker));
    worker.on('exit', () => lost(worker));
    return worker;
  }

  function lost(worker: Worker): void {
    if (thread !== worker) return;
    thread = undefined;
    for (const { reject } of waiting.values())
      reject(new ServiceError(400, 'The body needs too much memory to be read. Send less at a time.'));
    waiting.clear();
  }

  async function end(): Promise<void> {
    const ended = thread;
    thread = undefined;
    await ended?.terminate();
  }

  return {
    /**
     * Returns a body as the schema of an endpoint has it, with a warning for each field that changes nothing, or as it is
     * without an endpoint. Rejects with a ServiceError.
     */
    async read({ bytes }: LargeBody, endpoint?: string): Promise<ReadBody> {
      clearTimeout(idle);
      thread ??= start();
      const worker = thread;
      const { promise, resolve, reject } = Promise.withResolvers<ReadBody>();
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      const endWatch = watchHeap(worker, memoryLimit, () => {
        lost(worker);
        void worker.terminate();
      });
      worker.postMessage({ id, endpoint, bytes } satisfies BodyTask);
      try {
        return await promise;
      } finally {
        endWatch();
        if (waiting.size === 0) idle = setTimeout(end, idleMs).unref();
      }
    },
    async close(): Promise<void> {
      clearTimeout(idle);
      await end();
    },
  };
}
