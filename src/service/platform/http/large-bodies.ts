import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';
import { startThread } from '../system/start-thread.ts';
import { limitOfWatched, watchHeap } from '../system/watch-heap.ts';
import { createTurns } from '../turns.ts';
import type { BodyReply, BodyTask } from './body-thread.ts';

/** A body that is too large to be read where all requests are answered. */
export class LargeBody {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** A body that was read, and sentences about its fields that change nothing. */
export type ReadBody = Extract<BodyReply, { value: unknown }>;

/** Reads large bodies in a thread: whatever they contain, no other request waits for it. */
export type LargeBodies = ReturnType<typeof createLargeBodies>;

/** Larger bodies than this, in bytes, are read in the thread. */
export const largeBody = 64 * 1024;
/** What the thread may allocate for a body, in MiB, and its processor time in milliseconds: the largest lists take a tenth of it. */
const [memoryLimit, timeLimit] = [512, 5_000];
/** The thread ends this many milliseconds after its last body. */
const idleMs = 60_000;

// In built programs `import.meta.dirname` is dist/, where the thread is bundled.
const bodyThread = import.meta.dirname.endsWith(join('platform', 'http'))
  ? join(import.meta.dirname, 'body-thread.ts')
  : join(import.meta.dirname, 'body-reader.cjs');

/** A body that somebody waits for. */
interface Asked extends PromiseWithResolvers<ReadBody> {
  team: string;
  task: BodyTask;
}

/** @param mostMs processor time for a body */
export function createLargeBodies({ program = bodyThread, mostMs = timeLimit } = {}) {
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  const waiting = createTurns<Asked>();
  /** The body that the thread reads. It reads one at a time: what becomes of the thread is nobody else's fault. */
  let current: Asked | undefined;
  /** Whether the thread has read another body before: what is left of that may still be in its memory. */
  let isUsed = false;
  let endWatch = () => {};

  function start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: limitOfWatched(memoryLimit) };
    const worker = startThread(program, { name: 'bodies', resourceLimits });
    worker.on('message', (reply: BodyReply) => {
      // What a thread says that is being ended isn't about the current body.
      if (thread !== worker) return;
      isUsed = true;
      const asked = finish();
      if ('value' in reply) asked?.resolve(reply);
      else {
        const { status, message, code, details } = reply.error;
        asked?.reject(new ServiceError(status, message, { ...(code && { code }), details }));
      }
      next();
    });
    worker.on('error', () => lost(worker, 'memory'));
    worker.on('exit', () => lost(worker, 'memory'));
    // A listener keeps the process alive again.
    worker.unref();
    isUsed = false;
    return worker;
  }

  function next(): void {
    if (current) return;
    clearTimeout(idle);
    current = waiting.take();
    if (!current) {
      idle = setTimeout(end, idleMs).unref();
      return;
    }
    try {
      thread ??= start();
    } catch (error) {
      finish()?.reject(error as Error);
      return next();
    }
    const worker = thread;
    const onOver = (lack: 'memory' | 'time') => {
      lost(worker, lack);
      void worker.terminate();
    };
    endWatch = watchHeap(worker, memoryLimit, onOver, mostMs);
    worker.postMessage(current.task);
  }

  function finish(): Asked | undefined {
    endWatch();
    const asked = current;
    current = undefined;
    return asked;
  }

  function lost(worker: Worker, lack: 'memory' | 'time'): void {
    if (thread !== worker) return;
    thread = undefined;
    const asked = finish();
    if (asked && isUsed && lack === 'memory') waiting.putBack(asked.team, asked);
    else asked?.reject(new ServiceError(400, `The body needs too much ${lack} to be read. Send less at a time.`));
    next();
  }

  function ask(team: string, task: BodyTask): Promise<ReadBody> {
    const asked = { team, task, ...Promise.withResolvers<ReadBody>() };
    waiting.add(team, asked);
    next();
    return asked.promise;
  }

  async function end(): Promise<void> {
    const ended = thread;
    thread = undefined;
    await ended?.terminate();
  }

  return {
    /**
     * Returns a body as the schema of an endpoint has it, with a warning for each field that changes nothing, or as it is
     * without an endpoint. Teams take turns. Rejects with a ServiceError.
     */
    read: ({ bytes }: LargeBody, team: string, endpoint?: string): Promise<ReadBody> => ask(team, { endpoint, bytes }),
    /** Returns why values can't be checked against a caller's JSON Schema or, with a value, how that violates it; undefined if nothing is wrong. */
    async problemOf(team: string, ...checked: [schema: object, value?: unknown]): Promise<string | undefined> {
      const bytes = Buffer.from(JSON.stringify(checked));
      return (await ask(team, { endpoint: undefined, bytes, isSchema: true })).value as string | undefined;
    },
    async close(): Promise<void> {
      clearTimeout(idle);
      endWatch();
      await end();
    },
  };
}
