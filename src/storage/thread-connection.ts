import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Answered, resultOf, type SqliteConnection, type Statement } from './connection.ts';
import type { FilePlace } from './file-place.ts';

// In built programs `import.meta.dirname` is dist/, where the thread is bundled.
const program = import.meta.dirname.endsWith(join('src', 'storage'))
  ? join(import.meta.dirname, 'thread.ts')
  : join(import.meta.dirname, 'storage-thread.cjs');

/** What a storage thread is started with. */
export interface ThreadData {
  path: string;
  setUp: string;
  readOnly: boolean;
  /** Place of the file, if statements have to fail while it isn't there. */
  place: FilePlace | undefined;
}

export type Request = Statement | 'roll back' | 'close';

/** The answer to a request. The fields of SQLite's errors are sent separately, because errors lose them when they are sent. */
export type Reply =
  | Answered
  | { error: { message: string; code: string | undefined; errcode: number | undefined; errstr: string | undefined } };

/** The environment of a thread: nothing but the compile cache, if this process uses one. */
export function threadEnvironment(): Record<string, string> {
  const versionFolder = getCompileCacheDir();
  return versionFolder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(versionFolder) };
}

/**
 * Returns a connection whose statements run in a thread of its own, so that the disk never blocks this one. The thread
 * starts with the first statement; if a thread is lost, its pending requests fail, and the next statement starts another.
 */
export function connectInThread(data: ThreadData): SqliteConnection {
  let thread: Worker | undefined;
  let closed = false;
  /** Requests without an answer, in order. */
  let waiting: { resolve(rows: Answered): void; reject(error: Error): void }[] = [];

  function start(): Worker {
    const options = { name: 'storage', env: threadEnvironment(), stdout: true, stderr: true };
    const worker = new Worker(program, { ...options, workerData: data });
    const lost = (error: Error) => {
      if (thread !== worker) return;
      thread = undefined;
      const unanswered = waiting;
      waiting = [];
      for (const { reject } of unanswered) reject(error);
    };
    worker.on('message', (reply: Reply) => {
      const asked = waiting.shift();
      // While it closes, the thread keeps the process alive, so that the file is closed first.
      if (waiting.length === 0 && !closed) worker.unref();
      if ('error' in reply) asked?.reject(Object.assign(new Error(reply.error.message), reply.error));
      else asked?.resolve(reply);
    });
    worker.on('error', lost);
    worker.on('exit', () => lost(new Error('The storage thread stopped unexpectedly.')));
    return worker;
  }

  function ask(request: Request, buffers: ArrayBuffer[] = []): Promise<Answered> {
    return new Promise((resolve, reject) => {
      if (closed) return reject(new Error('The database is closed.'));
      thread ??= start();
      thread.postMessage(request, buffers);
      if (waiting.length === 0) thread.ref();
      waiting.push({ resolve, reject });
    });
  }

  return {
    async run({ sql, parameters, inTransaction }) {
      const buffers: ArrayBuffer[] = [];
      const values = parameters.map((value) => {
        if (!(value instanceof Uint8Array)) return value;
        // Copied, because buffers may share memory, all of which would be sent.
        const copy = new Uint8Array(value);
        buffers.push(copy.buffer);
        return copy;
      });
      return resultOf(await ask({ sql, parameters: values, inTransaction }, buffers));
    },
    async rollBack() {
      await ask('roll back');
    },
    async close() {
      closed = true;
      const worker = thread;
      if (!worker) return;
      worker.ref();
      const exited = new Promise((resolve) => worker.once('exit', resolve));
      worker.postMessage('close' satisfies Request);
      await exited;
    },
  };
}
