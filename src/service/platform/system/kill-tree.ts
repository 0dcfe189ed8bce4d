import { type ChildProcess, execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The system's ways to end processes, so that each can be tested on any system. */
export interface Killing {
  platform: NodeJS.Platform;
  kill(pid: number, signal: NodeJS.Signals): void;
  run(program: string, args: readonly string[]): void;
}

const thisSystem: Killing = {
  platform: process.platform,
  kill: (pid, signal) => process.kill(pid, signal),
  run: (program, args) => execFile(program, args, { windowsHide: true }, () => undefined),
};

/**
 * Ends a process and those that it started, at once: its process group, or its tree on Windows, which has no groups.
 * Nothing happens if it has exited.
 */
export function killTree(pid: number | undefined, { platform, kill, run }: Killing = thisSystem): void {
  if (pid === undefined) return;
  if (platform === 'win32') return run('taskkill', ['/pid', String(pid), '/T', '/F']);
  try {
    kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}

/** How many processes are looked for below one: reading each takes a while. */
const maxBelow = 1000;
/** Threads of a process that are asked for those that they started. */
const maxThreads = 50;

/**
 * Ends a process and its group. On Linux also those that it and they started and whose parents still run, even if they have
 * a group of their own and nothing in their environment tells whose they are.
 */
export function killWithDescendants(child: ChildProcess): void {
  // The ID of one that has exited may be another's.
  const runs = child.exitCode === null && child.signalCode === null;
  const below = runs && child.pid !== undefined ? descendantsOf(child.pid) : [];
  killTree(child.pid);
  for (const pid of below) killProcess(pid);
}

/** Ends a process at once. Nothing happens if it has exited. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited.
  }
}

function descendantsOf(root: number): number[] {
  const found = [root];
  for (let index = 0; index < found.length && found.length < maxBelow; index++) found.push(...childrenOf(found[index]));
  return found.slice(1);
}

/** Each thread has its own. Other systems than Linux have no such files. */
function childrenOf(pid: number | undefined): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).slice(0, maxThreads);
    const lists = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'));
    return lists.join(' ').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
