// @ts-check
// Finds and ends processes by a marker in their environment: no pid list goes stale, detached children are seen too.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {{ pid: number, parent: number, command: string, marked: boolean }} ProcessEntry */

/**
 * The processes started with `NAME=VALUE` in their environment, and all their living descendants.
 * Always empty on Windows, where an environment cannot be read from outside.
 * @param {string} name
 * @param {string} value
 * @returns {ProcessEntry[]}
 */
export function findMarkedProcesses(name, value) {
  const marker = `${name}=${value}`;
  const all = platform() === 'linux' ? listFromProc(marker) : platform() === 'win32' ? [] : listFromPs(marker);
  return withDescendants(all).filter((entry) => entry.pid !== process.pid);
}

/**
 * The marked entries and everything that descends from them.
 * @param {ProcessEntry[]} all
 * @returns {ProcessEntry[]}
 */
export function withDescendants(all) {
  const chosen = new Set(all.filter((entry) => entry.marked).map((entry) => entry.pid));
  for (let grown = true; grown; ) {
    const children = all.filter((entry) => chosen.has(entry.parent) && !chosen.has(entry.pid));
    for (const child of children) chosen.add(child.pid);
    grown = children.length > 0;
  }
  return all.filter((entry) => chosen.has(entry.pid));
}

/**
 * Asks the marked processes to end, waits up to `grace` milliseconds and kills what is still there.
 * @param {string} name
 * @param {string} value
 * @param {number} [grace]
 */
export async function endMarkedProcesses(name, value, grace = 8000) {
  signalAll(findMarkedProcesses(name, value), 'SIGTERM');
  for (const end = Date.now() + grace; Date.now() < end; ) {
    if (findMarkedProcesses(name, value).length === 0) return;
    await sleep(50);
  }
  killMarkedProcesses(name, value);
}

/**
 * Kills the marked processes at once, synchronously: for `process.on('exit')`.
 * @param {string} name
 * @param {string} value
 */
export function killMarkedProcesses(name, value) {
  signalAll(findMarkedProcesses(name, value), 'SIGKILL');
}

/**
 * @param {ProcessEntry[]} entries
 * @param {NodeJS.Signals} signal
 */
function signalAll(entries, signal) {
  for (const { pid } of entries) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended by itself in the meantime.
    }
  }
}

/**
 * @param {string} marker
 * @returns {ProcessEntry[]}
 */
function listFromProc(marker) {
  const entries = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === 'Z') continue;
      const marked = readFileSync(`/proc/${name}/environ`, 'latin1').split('\0').includes(marker);
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ').trim();
      entries.push({ pid: Number(name), parent: Number(parent), command, marked });
    } catch {
      // Another user's process, or one that has just ended.
    }
  }
  return entries;
}

/**
 * `-E` makes ps append each process's environment to its command.
 * @param {string} marker
 * @returns {ProcessEntry[]}
 */
function listFromPs(marker) {
  const output = execFileSync('ps', ['-Aww', '-E', '-o', 'pid=,ppid=,command='], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return output.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    if (!match) return [];
    const words = (match[3] ?? '').split(' ');
    return [
      {
        pid: Number(match[1]),
        parent: Number(match[2]),
        command: words.slice(0, 12).join(' '),
        marked: words.includes(marker),
      },
    ];
  });
}
