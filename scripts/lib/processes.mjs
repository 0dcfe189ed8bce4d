// @ts-check
// Finds and stops processes by a marker in their environment, which includes detached children and cannot go stale as pids do.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * `started` distinguishes processes that reuse a pid.
 * @typedef {{ pid: number, parent: number, started: string, command: string, marked: boolean }} ProcessEntry
 */

/**
 * Tracks the processes started with `NAME=VALUE` in their environment and their descendants, including those whose
 * environment was cleared and whose parent has exited.
 * @param {string} name
 * @param {string} value
 * @param {number} [interval] milliseconds between scans
 */
export function watchMarkedProcesses(name, value, interval = 500) {
  /** @type {Map<number, string>} pid to start */
  const known = new Map();

  /** Returns the running processes. */
  const look = () => {
    const living = withDescendants(listProcesses(`${name}=${value}`, known));
    for (const { pid, started } of living) known.set(pid, started);
    return living;
  };

  // Elsewhere a scan starts ps, so it is done only on request.
  const timer = platform() === 'linux' ? setInterval(look, interval).unref() : undefined;

  return {
    look,
    /** Stops them with SIGTERM, waits up to `grace` milliseconds and kills the rest. */
    async end(grace = 8000) {
      signalAll(look(), 'SIGTERM');
      for (const deadline = Date.now() + grace; Date.now() < deadline && look().length > 0; ) await sleep(50);
      this.kill();
    },
    /** Kills them at once, synchronously: for `process.on('exit')`. */
    kill() {
      clearInterval(timer);
      signalAll(look(), 'SIGKILL');
    },
  };
}

/**
 * Returns the marked entries and their descendants.
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
 * @param {ProcessEntry[]} entries
 * @param {NodeJS.Signals} signal
 */
function signalAll(entries, signal) {
  for (const { pid } of entries) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has already exited.
    }
  }
}

/**
 * This user's processes except this one; none on Windows, where the environment of other processes cannot be read. Those
 * that are known count as marked.
 * @param {string} marker
 * @param {ReadonlyMap<number, string>} known
 * @returns {ProcessEntry[]}
 */
function listProcesses(marker, known) {
  const list = platform() === 'linux' ? listFromProc : platform() === 'win32' ? () => [] : listFromPs;
  /** @param {number} pid @param {string} started */
  const isKnown = (pid, started) => known.get(pid) === started;
  return list(marker, isKnown).filter((entry) => entry.pid !== process.pid);
}

/**
 * Reads as little as it can, since it is repeated all the time: of known processes and the kernel's no environment, and
 * commands only of those that are told.
 * @param {string} marker
 * @param {(pid: number, started: string) => boolean} isKnown
 * @returns {ProcessEntry[]}
 */
function listFromProc(marker, isKnown) {
  const entries = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      // Counted from the field after the name, which may contain spaces and parentheses.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [state, parent] = fields;
      const [started = '', memory] = fields.slice(19);
      if (state === 'Z' || memory === '0') continue;
      const pid = Number(name);
      const marked =
        isKnown(pid, started) || readFileSync(`/proc/${name}/environ`, 'latin1').split('\0').includes(marker);
      entries.push({
        pid,
        parent: Number(parent),
        started,
        marked,
        get command() {
          return commandOf(pid);
        },
      });
    } catch {
      // Another user's process, or one that has just exited.
    }
  }
  return entries;
}

/** @param {number} pid */
function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
  } catch {
    return '(has exited)';
  }
}

/**
 * `-E` makes ps append each process's environment to its command.
 * @param {string} marker
 * @param {(pid: number, started: string) => boolean} isKnown
 * @returns {ProcessEntry[]}
 */
function listFromPs(marker, isKnown) {
  const output = execFileSync('ps', ['-Aww', '-E', '-o', 'pid=,ppid=,lstart=,command='], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
    maxBuffer: 2 ** 26,
  });
  return output.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(.{24})\s+(.*)$/.exec(line);
    if (!match) return [];
    const [, id, parent, started = '', words = ''] = match;
    const pid = Number(id);
    const marked = isKnown(pid, started) || words.split(' ').includes(marker);
    return [{ pid, parent: Number(parent), started, command: words.slice(0, 200), marked }];
  });
}
