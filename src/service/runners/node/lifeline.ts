import { Worker } from 'node:worker_threads';

const source = `
const { Socket } = require('node:net');
const { workerData } = require('node:worker_threads');
const end = () => process.kill(workerData.pid, 'SIGKILL');
new Socket({ fd: workerData.fd, readable: true, writable: false }).on('end', end).on('error', end).resume();
`;

/** Ends this process and its group when the pipe at `fd` ends, even while a snippet keeps the main thread busy. */
export function holdLifeline(fd: number): void {
  // A Windows process has no group to be ended by.
  const pid = process.platform === 'win32' ? process.pid : -process.pid;
  new Worker(source, { eval: true, workerData: { fd, pid }, stdout: false }).unref();
}
