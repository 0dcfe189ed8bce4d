// @ts-check
import { execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { endWithThisProgram } from './cleanup.mjs';
import { ROOT } from './repository.mjs';
import { CHECKS } from './suites.mjs';

/**
 * Starts a check, which gets only the processors' time that others leave.
 * @param {string} name
 * @returns {Promise<{ result: import('./results.mjs').Result, output: string }>}
 */
export function startCheck(name) {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, maxBuffer: 2 ** 26 };
    const child = execFile(process.execPath, CHECKS[name]?.() ?? [], options, (error, stdout, stderr) => {
      forget();
      const title = error ? `${name}: ${error.signal ?? `exit code ${error.code}`}` : name;
      resolve({ result: { title, state: error ? 'failed' : 'passed' }, output: stdout + stderr });
    });
    const kill = () => child.kill('SIGKILL');
    const forget = endWithThisProgram({ stop: async () => kill(), kill });
    try {
      if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    } catch {
      // It has exited, or the system doesn't allow it: it then runs as any other.
    }
  });
}
