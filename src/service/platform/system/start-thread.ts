import { getCompileCacheDir } from 'node:module';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Runs in the new thread, as CommonJS. */
const bootstrap = `
const { workerData } = require('node:worker_threads');
if (workerData.cache) require('node:module').enableCompileCache(workerData.cache);
require(workerData.program);`;

/** Starts a thread without environment variables. Built programs use the compile cache, if this process does. */
export function startThread(program: string, options: Omit<WorkerOptions, 'env' | 'eval' | 'workerData'> = {}): Worker {
  const safe = { ...options, env: {}, stdout: true, stderr: true };
  const cache = getCompileCacheDir();
  return cache !== undefined && program.endsWith('.cjs')
    ? new Worker(bootstrap, { ...safe, eval: true, workerData: { program, cache } })
    : new Worker(program, safe);
}
