import { Worker } from 'node:worker_threads';

const source = `
const { Socket } = require('node:net');
const { workerData } = require('node:worker_threads');
const kill = () => process.kill(workerData.pid, 'SIGKILL');
new Socket({ fd: workerData.fd, readable: true, writable: false }).on('end', kill).on('error', kill).resume();
`;

/** Kills this process and its group when the pipe at `fd` closes, even while a snippet blocks the main thread. */
export function watchLifeline(fd: number): void {
  // Windows has no process groups.
  const pid = process.platform === 'win32' ? process.pid : -process.pid;
  new Worker(source, { eval: true, workerData: { fd, pid }, stdout: false }).unref();
}
