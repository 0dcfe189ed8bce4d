import { readdir, readFile } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { running } from './launch.ts';

/** How much of a processor a page may use all the time. */
const share = 0.25;
/** How many seconds of a processor it may use at once besides, such as to load. */
const burst = 3;
/** How often to look, in milliseconds. */
const everyMs = 1000;

/** Finds the processes that have just used more than their share of processor time. */
export function createHogs() {
  let known = new Map<number, { seconds: number; over: number }>();
  /** @param used the seconds of processor time that each process has used @param elapsed seconds since the last look */
  return (used: ReadonlyMap<number, number>, elapsed: number): number[] => {
    const next: typeof known = new Map();
    for (const [pid, seconds] of used) {
      // What it used before the first look, it may have used over hours.
      const last = known.get(pid) ?? { seconds, over: 0 };
      next.set(pid, { seconds, over: Math.max(0, last.over + seconds - last.seconds - share * elapsed) });
    }
    known = next;
    return [...known].filter(([, { over }]) => over > burst).map(([pid]) => pid);
  };
}

const hogs = createHogs();
let lastLook = performance.now();
let waiting = 0;
let looking = false;

/**
 * Works on a page while somebody waits for it. Meanwhile, pages of local browsers that use more than their share of processor
 * time get the lowest priority, so that it doesn't wait for them. Only Linux tells what is needed, of sandboxes too.
 */
export async function aheadOfHogs<Result>(work: () => Promise<Result>): Promise<Result> {
  waiting++;
  if (process.platform === 'linux' && !looking) void look();
  return await work().finally(() => waiting--);
}

async function look(): Promise<void> {
  looking = true;
  while (waiting > 0) {
    const pages = (await Promise.all([...running].map(({ pid }) => (pid ? pagesBelow(pid) : [])))).flat();
    const used = new Map(await Promise.all(pages.map(async (pid) => [pid, await secondsOf(pid)] as const)));
    const now = performance.now();
    for (const pid of hogs(used, (now - lastLook) / 1000)) await lower(pid);
    lastLook = now;
    await wait(everyMs, undefined, { ref: false });
  }
  looking = false;
}

/** A process may end at any time. */
const read = (path: string) => readFile(`/proc/${path}`, 'utf8').catch(() => '');

/** Returns the processes of pages below a browser's, or below those that isolate it. Chrome's main threads start them. */
async function pagesBelow(parent: number): Promise<number[]> {
  const children = (await read(`${parent}/task/${parent}/children`)).split(' ').filter(Boolean).map(Number);
  const below = children.map(async (pid) => [
    ...((await read(`${pid}/cmdline`)).includes('--type=renderer') ? [pid] : []),
    ...(await pagesBelow(pid)),
  ]);
  return (await Promise.all(below)).flat();
}

async function secondsOf(pid: number): Promise<number> {
  const stat = await read(`${pid}/stat`);
  // The name in parentheses can contain anything. Linux counts in hundredths of a second here.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}

/** A container may forbid it. Linux gives each thread a priority of its own, which the threads that it starts have too. */
async function lower(pid: number): Promise<void> {
  for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
    try {
      const lowest = constants.priority.PRIORITY_LOW;
      if (getPriority(Number(thread)) < lowest) setPriority(Number(thread), lowest);
    } catch {}
  }
}
