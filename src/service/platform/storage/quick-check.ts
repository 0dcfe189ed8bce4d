import { startThread } from '../system/start-thread.ts';

/** Reads a whole file, which takes seconds for a large one, so it has a thread of its own. */
const program = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const file = new DatabaseSync(workerData, { readOnly: true });
  try {
    parentPort.postMessage(file.prepare('PRAGMA quick_check(1)').get().quick_check);
  } finally {
    file.close();
  }`;

/** Checks an SQLite file in the background. Returns what is wrong with it, or undefined. */
export function quickCheck(path: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const worker = startThread(program, { eval: true, workerData: path });
    worker.unref();
    worker.once('message', (found: string) => resolve(found === 'ok' ? undefined : found));
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The check stopped unexpectedly.')));
  });
}
