import { parentPort, workerData } from 'node:worker_threads';
import { SqliteFile } from './connection.ts';
import { createPlaceCheck } from './file-place.ts';
import { openSqliteFile } from './open-file.ts';
import type { Reply, Request, ThreadData } from './thread-connection.ts';

// A thread that has one connection to an SQLite file, and answers requests in their order.
const { path, setUp, readOnly, place } = workerData as ThreadData;
const checkPlace = place === undefined ? () => undefined : createPlaceCheck(path, place);
let file: SqliteFile | undefined;

parentPort?.on('message', (request: Request) => {
  if (request === 'close') {
    file?.close();
    parentPort?.close();
    return;
  }
  const buffers: ArrayBuffer[] = [];
  parentPort?.postMessage(answer(request, buffers), buffers);
});

function answer(request: Exclude<Request, 'close'>, buffers: ArrayBuffer[]): Reply {
  try {
    if (request === 'roll back') {
      file?.rollBack();
      return { columns: [], rows: [], changes: 0 };
    }
    checkPlace();
    // A file that could not be opened may be available again.
    file ??= new SqliteFile(openSqliteFile(path, { setUp, readOnly }));
    const reply = file.run(request);
    for (const row of reply.rows)
      for (const value of row) if (value instanceof Uint8Array) buffers.push(value.buffer as ArrayBuffer);
    return reply;
  } catch (error) {
    const { message, code, errcode, errstr } = error as Error & { code?: string; errcode?: number; errstr?: string };
    return { error: { message, code, errcode, errstr } };
  }
}
