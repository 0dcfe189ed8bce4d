import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second, in which Linux counts processor time. */
const ticks = 100;

/** Returns a process and all processes that it started. Linux only; elsewhere, only the process. */
export function descendants(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of processNames()) {
    const parent = parentOf(Number(name));
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

/** Memory of a process and all that it started, as PSS in megabytes: shared memory counts once. */
export function megabytesOf(root: number): { MB: number; processes: number } {
  const pids = descendants(root);
  return { MB: pids.reduce((total, pid) => total + pssOf(pid), 0), processes: pids.length };
}

/** Processor time in seconds of a process and all that it started, with those that have ended and were waited for. NaN where the system doesn't report it. */
export function cpuSecondsOf(root: number): number {
  return descendants(root).reduce((total, pid) => total + cpuOf(pid), 0);
}

/** Processor time in seconds of each thread of a process, by thread id, and the thread's name. */
export function threadSecondsOf(pid: number): { id: number; name: string; seconds: number }[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((id) => {
      const { name, own } = statOf(`/proc/${pid}/task/${id}/stat`);
      return { id: Number(id), name, seconds: own };
    });
  } catch {
    return [];
  }
}

/** Resident memory of a process in megabytes; `peak` is the highest so far. NaN where the system doesn't report it. */
export function residentMegabytes(pid: number): { now: number; peak: number } {
  const status = read(`/proc/${pid}/status`);
  const field = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) / 1024;
  return { now: field('VmRSS'), peak: field('VmHWM') };
}

function processNames(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function parentOf(pid: number): number | undefined {
  const parent = /^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1];
  return parent === undefined ? undefined : Number(parent);
}

function pssOf(pid: number): number {
  // A process that has ended has none.
  return Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024;
}

function cpuOf(pid: number): number {
  try {
    const { own, ended } = statOf(`/proc/${pid}/stat`);
    return own + ended;
  } catch {
    return process.platform === 'linux' ? 0 : Number.NaN;
  }
}

/** Times of a process or thread, and of its processes that have ended, in seconds. */
function statOf(path: string): { name: string; own: number; ended: number } {
  const text = readFileSync(path, 'utf8');
  // The name can contain anything.
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  const seconds = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) / ticks;
  return { name: text.slice(text.indexOf('(') + 1, end), own: seconds(11), ended: seconds(13) };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
