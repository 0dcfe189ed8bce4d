import type { ChildProcess } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { killProcess, killTree } from '../../platform/system/kill-tree.ts';
import { availableMemory } from '../../platform/system/memory.ts';
import { running } from './launch.ts';

/** How much of a processor a page may use all the time. */
const share = 0.25;
/** How many seconds of a processor it may use at once besides, such as to load. */
const burst = 3;
/** The part of the memory that browsers which render pages may have, and how long a closed page may take to free its own, in milliseconds. */
const [memoryShare, freeingMs] = [1 / 2, 3000];
/** How often to look, in milliseconds. */
const everyMs = 500;

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
 * time get the lowest priority, so that it doesn't wait for them, and the largest of those that are rendered are ended if all
 * together have too much memory. Only Linux tells what is needed, of sandboxes too.
 */
export async function aheadOfHogs<Result>(work: () => Promise<Result>): Promise<Result> {
  waiting++;
  if (process.platform === 'linux' && !looking) void look();
  return await work().finally(() => waiting--);
}

async function look(): Promise<void> {
  looking = true;
  while (waiting > 0) {
    const browsers = await Promise.all(
      [...running].map(async ([browser, { onlyLoadsPages }]) => {
        const processes = browser.pid ? await processesOf(browser.pid, browser) : [];
        return { processes, onlyLoadsPages };
      }),
    );
    const pages = browsers.flatMap(({ processes }) => processes).filter(({ isPage }) => isPage);
    const used = new Map(await Promise.all(pages.map(async ({ pid }) => [pid, await secondsOf(pid)] as const)));
    const now = performance.now();
    for (const pid of hogs(used, (now - lastLook) / 1000)) await lower(pid);
    lastLook = now;
    await makeRoom(browsers.filter(({ onlyLoadsPages }) => onlyLoadsPages).flatMap(({ processes }) => processes));
    await wait(everyMs, undefined, { ref: false });
  }
  looking = false;
}

/** A process may end at any time. */
const read = (path: string) => readFile(`/proc/${path}`, 'utf8').catch(() => '');

interface Process {
  pid: number;
  /** Whether it runs pages. */
  isPage: boolean;
  /** The first process of its browser. */
  browser: ChildProcess;
}

/** Returns a process and those below it: a browser's, or those that isolate it. Chrome's main threads start them. */
async function processesOf(pid: number, browser: ChildProcess): Promise<Process[]> {
  const children = (await read(`${pid}/task/${pid}/children`)).split(' ').filter(Boolean).map(Number);
  const isPage = (await read(`${pid}/cmdline`)).includes('--type=renderer');
  const below = await Promise.all(children.map((child) => processesOf(child, browser)));
  return [{ pid, isPage, browser }, ...below.flat()];
}

/**
 * Returns which processes to end so that the others have no more than `most` bytes: the largest, as far as they run pages. What
 * the browser itself has, it keeps for its pages.
 */
export function largest<Each extends Pick<Process, 'isPage'>>(sizes: ReadonlyMap<Each, number>, most: number): Each[] {
  let excess = [...sizes.values()].reduce((sum, size) => sum + size, 0) - most;
  const ended: Each[] = [];
  for (const [each, size] of [...sizes].sort((one, other) => other[1] - one[1])) {
    if (excess <= 0) break;
    // What a browser needs for itself is no reason to close a page.
    if (!each.isPage && size < most / 2) continue;
    excess -= size;
    ended.push(each);
    if (!each.isPage) break;
  }
  return ended;
}

/**
 * Counts how many pages were closed in vain for the memory of a browser: one after another, without it falling by a tenth of
 * what it was before the first of them.
 */
export function createVainCount() {
  const first = new WeakMap<object, { size: number; count: number }>();
  return (browser: object, size: number): number => {
    const { size: before, count } = first.get(browser) ?? { size: Number.POSITIVE_INFINITY, count: 0 };
    const isVain = size > 0.9 * before;
    first.set(browser, isVain ? { size: before, count: count + 1 } : { size, count: 0 });
    return isVain ? count + 1 : 0;
  };
}

/** A browser whose memory stays is ended after so many pages that were closed in vain: all would be lost in turn. */
const maxInVain = 5;
let inVain = createVainCount();

/** What closes each page that is being rendered, the oldest first, with the process of its browser. */
const closers = new Map<() => void, number>();
let lastClosed = Number.NEGATIVE_INFINITY;

/**
 * Has a page closed if the browser that it shares with others has too much memory itself, such as what pages store, and no
 * page of that browser has been rendered for longer. Returns a function that stops this.
 */
export function closeForRoom(browserPid: number, close: () => void): () => void {
  closers.set(close, browserPid);
  return () => void closers.delete(close);
}

async function makeRoom(processes: readonly Process[]): Promise<void> {
  const sizes = new Map(await Promise.all(processes.map(async (each) => [each, await bytesOf(each)] as const)));
  const ended = largest(sizes, memoryShare * availableMemory());
  // There was room in between.
  if (ended.every(({ isPage }) => isPage)) inVain = createVainCount();
  for (const each of ended) {
    if (each.isPage) killProcess(each.pid);
    else if (performance.now() - lastClosed > freeingMs) {
      const [oldest] = [...closers].find(([, pid]) => pid === each.browser.pid) ?? [];
      if (oldest && inVain(each.browser, sizes.get(each) ?? 0) >= maxInVain) killTree(each.browser.pid);
      else oldest?.();
      lastClosed = performance.now();
    }
  }
}

/** What pages share with the rest of the browser counts as theirs. */
async function bytesOf({ pid, isPage }: Process): Promise<number> {
  const status = await read(`${pid}/status`);
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return 1024 * (kib('RssAnon') + kib('VmSwap') + (isPage ? kib('RssShmem') : 0));
}

async function secondsOf(pid: number): Promise<number> {
  const stat = await read(`${pid}/stat`);
  // The name in parentheses can contain anything. Linux counts in hundredths of a second here.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}

/** A container may forbid it. Linux gives each thread a priority of its own, which the threads that it starts have too. */
async function lower(pid: number): Promise<void> {
  const lowest = constants.priority.PRIORITY_LOW;
  // Those that had another one may have started threads meanwhile.
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
      try {
        if (getPriority(Number(thread)) === lowest) continue;
        setPriority(Number(thread), lowest);
        isDone = false;
      } catch {}
    }
  }
}
