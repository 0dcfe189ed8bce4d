import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Rows, SqliteConnection, StatementResult } from './connection.ts';
import type { Reply, Request, ThreadData } from './thread-messages.ts';

// In built programs `import.meta.dirname` is dist/, where the thread is bundled.
const program = import.meta.dirname.endsWith(join('src', 'storage'))
  ? join(import.meta.dirname, 'thread.ts')
  : join(import.meta.dirname, 'storage-thread.cjs');

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
  let waiting: { resolve(rows: Rows & { changes: number | bigint }): void; reject(error: Error): void }[] = [];

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

  function ask(request: Request, buffers: ArrayBuffer[] = []): Promise<Rows & { changes: number | bigint }> {
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

function resultOf({ columns, rows, changes }: Rows & { changes: number | bigint }): StatementResult {
  return {
    changes,
    rows: rows.map((values) => {
      const row: Record<string, unknown> = {};
      for (let at = 0; at < columns.length; at++) row[columns[at] as string] = values[at];
      return row;
    }),
  };
}
