import { type ChildProcess, type SpawnOptions, type StdioOptions, spawn } from 'node:child_process';
import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { basename } from 'node:path';
import { messageOf } from '../errors.ts';
import { lazy } from '../lazy.ts';

/** The flag of files that a process doesn't pass on to others, as Linux writes it. */
const closeOnExec = 0o2000000;

/**
 * The files that were open in what started this process and would be passed on, so that a sandbox could read and write
 * them, and an empty one to take their places. Those that Node.js opens are never passed on, nor are the first ones of
 * those it was given.
 */
const inherited = lazy(() => {
  const open = existsSync('/proc/self/fdinfo') ? readdirSync('/proc/self/fdinfo').map(Number) : [];
  const files = open.filter((file) => file > 2 && isPassedOn(file));
  return { files, empty: files.length > 0 ? openSync(devNull, 'r+') : 0 };
});

function isPassedOn(file: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'latin1'))?.[1] ?? '';
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // It is closed by now, as that of the folder is.
    return false;
  }
}

function withoutInherited(stdio: StdioOptions = 'pipe'): StdioOptions {
  const { files, empty } = inherited();
  const all: Exclude<StdioOptions, string> = typeof stdio === 'string' ? [stdio, stdio, stdio] : [...stdio];
  for (const file of files) {
    while (all.length <= file) all.push('ignore');
    if (all[file] === 'ignore') all[file] = empty;
  }
  return all;
}

/**
 * Starts a process that is connected by pipes, and on Linux has no other open files of this one. Throws an Error with a
 * message to show if the system can't start another one. If the program doesn't exist, the `error` event reports it.
 */
export function startProcess(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const name = basename(program);
  let child: ChildProcess;
  try {
    child = spawn(program, args, { ...options, stdio: withoutInherited(options.stdio) });
  } catch (error) {
    throw new Error(`${name} could not be started: ${messageOf(error)}`, { cause: error });
  }
  // If no pipe can be opened, there are none, and the error follows as an event.
  if (child.stdio !== undefined) return child;
  child.once('error', () => undefined);
  throw new Error(`${name} could not be started: the service has too many files open`);
}
