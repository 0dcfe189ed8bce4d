import { readdir, readFile } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';

/** A process, with the seconds of processor time that it has used. */
export interface Usage {
  pid: number;
  parent: number;
  seconds: number;
}

/** How much of a processor a page may use all the time, and how many seconds more it may use at once, such as to load. */
const [share, burst] = [0.25, 3];
/** How often to look, in milliseconds. */
const everyMs = 1000;

/** Finds the processes among the descendants of others that have just used more than their share of processor time. */
export function createHogs() {
  let known = new Map<number, { seconds: number; over: number }>();
  return (usages: readonly Usage[], roots: ReadonlySet<number>, elapsed: number): number[] => {
    const parents = new Map(usages.map(({ pid, parent }) => [pid, parent]));
    const isBelow = (pid: number) => {
      // A process has few ancestors; the list was read while processes came and went.
      for (let depth = 0, at = parents.get(pid); at && depth < 20; depth++, at = parents.get(at))
        if (roots.has(at)) return true;
      return false;
    };
    const next: typeof known = new Map();
    for (const { pid, seconds } of usages) {
      if (!isBelow(pid)) continue;
      const last = known.get(pid) ?? { seconds: 0, over: 0 };
      next.set(pid, { seconds, over: Math.max(0, last.over + seconds - last.seconds - share * elapsed) });
    }
    known = next;
    return [...known].filter(([, { over }]) => over > burst).map(([pid]) => pid);
  };
}

/**
 * Gives pages that use more than their share of processor time the lowest priority while any of these browsers runs, so that
 * the pages of others don't wait for them. Only Linux tells what is needed, of sandboxes too; elsewhere, nothing happens.
 */
export function lowerHogs(browsers: ReadonlySet<{ readonly pid?: number | undefined }>): void {
  if (process.platform !== 'linux' || timer) return;
  const hogs = createHogs();
  let last = performance.now();
  const look = async () => {
    const usages = await readUsages();
    const now = performance.now();
    const roots = new Set([...browsers].flatMap(({ pid }) => pid ?? []));
    for (const pid of hogs(usages, roots, (now - last) / 1000)) await lower(pid);
    last = now;
    timer = browsers.size > 0 ? setTimeout(look, everyMs).unref() : undefined;
  };
  timer = setTimeout(look, everyMs).unref();
}

let timer: NodeJS.Timeout | undefined;

async function readUsages(): Promise<Usage[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const read = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return read.flatMap((text, index) => {
    // The name in parentheses can contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // Linux counts in hundredths of a second here.
    const seconds = (Number(fields[11]) + Number(fields[12])) / 100;
    return text ? [{ pid: Number(pids[index]), parent: Number(fields[1]), seconds }] : [];
  });
}

/** Lowers a process if it runs a page. It may have ended, and a container may forbid it. */
async function lower(pid: number): Promise<void> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  if (!command.includes('--type=renderer')) return;
  // Linux gives each thread a priority of its own, which the threads that it starts have too.
  for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
    try {
      const lowest = constants.priority.PRIORITY_LOW;
      if (getPriority(Number(thread)) < lowest) setPriority(Number(thread), lowest);
    } catch {}
  }
}
