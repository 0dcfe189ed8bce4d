import { execFile } from 'node:child_process';

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
