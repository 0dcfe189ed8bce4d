import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { basename } from 'node:path';
import { messageOf } from '../errors.ts';

/**
 * Starts a process that is connected by pipes. Throws an Error with a message to show if the system can't start another
 * one. If the program doesn't exist, the `error` event reports it.
 */
export function startProcess(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const name = basename(program);
  let child: ChildProcess;
  try {
    child = spawn(program, args, options);
  } catch (error) {
    throw new Error(`${name} could not be started: ${messageOf(error)}`, { cause: error });
  }
  // If no pipe can be opened, there are none, and the error follows as an event.
  if (child.stdio !== undefined) return child;
  child.once('error', () => undefined);
  throw new Error(`${name} could not be started: the service has too many files open`);
}
