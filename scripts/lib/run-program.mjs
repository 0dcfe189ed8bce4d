// @ts-check
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithThisProgram } from './cleanup.mjs';
import { ROOT } from './repository.mjs';

/**
 * @typedef {{ code: number | null, signal: string | null, timedOut: boolean }} Ending
 *
 * @typedef {object} Program
 * @property {string[]} args script and arguments for this Node
 * @property {number} limit milliseconds
 * @property {import('./run-report.mjs').Report | undefined} report for what it prints
 * @property {boolean} [background] gets only the processors' time that others leave
 * @property {Record<string, string>} [env] added to this program's
 * @property {() => string | undefined} [nextFile] the file to test next, for a program that asks for one
 */

/**
 * Runs a script with this Node to its end.
 * @param {Program} program
 * @returns {Promise<Ending>}
 */
export function runProgram({ args, limit, report, background, env, nextFile }) {
  return new Promise((resolve) => {
    const output = report ? openSync(report.file, 'a') : 'ignore';
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: nextFile ? ['ignore', output, output, 'ipc'] : ['ignore', output, output],
    });
    if (typeof output === 'number') closeSync(output);
    if (background && child.pid !== undefined) lowerPriority(child.pid);
    // One that has exited meanwhile needs none.
    if (nextFile) child.on('message', () => child.send({ file: nextFile() }, () => {}));
    const exited = new Promise((end) => child.once('exit', end));
    const stop = async () => {
      child.kill('SIGTERM');
      await Promise.race([exited, sleep(10_000, undefined, { ref: false })]);
      child.kill('SIGKILL');
    };
    const forget = endWithThisProgram({ stop, kill: () => child.kill('SIGKILL') });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      void stop();
    }, limit);
    child.once('error', (error) => {
      report?.print(error.message);
      child.emit('exit', null, 'a failed start');
    });
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      forget();
      resolve({ code, signal, timedOut });
    });
  });
}

/** @param {number} pid */
function lowerPriority(pid) {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has exited, or the system doesn't allow it: it then runs as any other.
  }
}
