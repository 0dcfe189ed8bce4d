import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { sep } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createTurn } from '../async.ts';
import { killProcess } from './kill-tree.ts';

/** Maximum number of passes: processes may fork in the meantime, or take a while to exit. */
const rounds = 50;
const pauseMs = 20;
const maxOutputBytes = 64 * 1024 * 1024;

/** A process of this user, with its environment as far as it can be read. */
export interface SeenProcess {
  pid: number;
  /** `NAME=VALUE` entries, where the system separates them; else one text in which they follow each other. */
  environment: readonly string[] | string;
}

/**
 * Kills (SIGKILL) every process that was started with the environment variable `name` set to `value` or to a path
 * below `value`, whatever its process group and session. Linux and macOS: on other systems it finds nothing.
 */
export async function killStrays(name: string, value: string): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const strays = await findStrays(name, value);
    if (strays.length === 0) return;
    for (const pid of strays) killProcess(pid);
    await wait(pauseMs);
  }
}

/** Returns the ids of the processes that `killStrays` would kill; never this process. */
export async function findStrays(
  name: string,
  value: string,
  listProcesses: (marker: string) => Promise<SeenProcess[]> = listerOf(process.platform),
): Promise<number[]> {
  const exact = `${name}=${value}`;
  const processes = await listProcesses(exact);
  return processes
    .filter(({ pid, environment }) => pid !== process.pid && hasMarker(environment, exact))
    .map(({ pid }) => pid);
}

/** Returns how the processes of a system are listed. */
export function listerOf(platform: NodeJS.Platform): (marker: string) => Promise<SeenProcess[]> {
  if (platform === 'linux') return linuxProcesses;
  return platform === 'darwin' ? () => macProcesses() : async () => [];
}

function hasMarker(environment: readonly string[] | string, exact: string): boolean {
  if (typeof environment !== 'string')
    return environment.some((entry) => entry === exact || entry.startsWith(exact + sep));
  // Values may contain spaces, as paths on macOS do: the marker is looked for as a whole.
  for (let at = environment.indexOf(` ${exact}`); at >= 0; at = environment.indexOf(` ${exact}`, at + 1)) {
    const next = environment.charAt(at + 1 + exact.length);
    if (next === '' || next === ' ' || next === '/') return true;
  }
  return false;
}

async function linuxProcesses(marker: string): Promise<SeenProcess[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const seen: SeenProcess[] = [];
  const turn = createTurn();
  for (const pid of pids) {
    // Asynchronously, these small reads take four times as much processor time.
    if (turn.isOver) await turn.end();
    const text = environmentOf(pid);
    seen.push({ pid, environment: text.includes(marker) ? text.split('\0') : [] });
  }
  return seen;
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    // It has exited or belongs to another user.
    return '';
  }
}

/** macOS shows the environment of one's own processes behind their command. */
export async function macProcesses(
  run: (program: string, args: readonly string[]) => Promise<string> = runProgram,
): Promise<SeenProcess[]> {
  const output = await run('/bin/ps', ['-A', '-ww', '-E', '-o', 'pid=,command=']).catch(() => '');
  return output.split('\n').flatMap((line) => {
    const found = /^\s*(\d+) (.*)$/.exec(line);
    return found ? [{ pid: Number(found[1]), environment: ` ${found[2]}` }] : [];
  });
}

async function runProgram(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { maxBuffer: maxOutputBytes });
  return stdout;
}
