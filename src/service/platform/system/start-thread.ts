import { Worker, type WorkerOptions } from 'node:worker_threads';
import { threadEnvironment } from '../../../storage/storage.ts';

/** Starts a thread that neither has this process's environment variables nor prints. */
export function startThread(program: string, options: Omit<WorkerOptions, 'env' | 'stdout' | 'stderr'> = {}): Worker {
  return new Worker(program, { ...options, env: threadEnvironment(), stdout: true, stderr: true });
}
