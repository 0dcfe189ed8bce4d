import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { limits } from '../../contract/limits.ts';
import { childEnvironment } from '../environment.ts';
import { killStrays } from '../stray-processes.ts';
import { createMessageReader, type FromRunner, type ToRunner } from './messages.ts';
import { createOutput, type Output } from './output.ts';
import type { OutputStream, RunnerOptions } from './runner.ts';

/** A program that runs snippets, ready to be started. */
export interface RunnerProgram {
  command: string;
  args: readonly string[];
  /** Variables besides those of every child process. */
  env: NodeJS.ProcessEnv;
  /** What it is told first. */
  start: ToRunner;
  /** How a message is written for it; JSON on a line unless it cannot read that. */
  encode?: (message: ToRunner) => string;
}

/** How a process ended; `error` when it never started. */
export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  error?: Error;
}

export type Outputs = Record<OutputStream, Output>;

/** A runner program that was started, alone in its process group. */
export interface RunnerProcess {
  onMessage: (message: FromRunner) => void;
  /** Text of a stream as it comes, cut at the limit. */
  onOutput: (stream: OutputStream, text: string) => void;
  /** What was written since they were last taken. */
  readonly outputs: Outputs;
  /** Gives the outputs away and begins new ones. */
  takeOutputs(): Outputs;
  /** Resolves when it has ended and all that it wrote is in `outputs`. */
  readonly ended: Promise<Ending>;
  /** Resolves when nothing is left of it and of what it started. */
  readonly gone: Promise<void>;
  send(message: ToRunner): void;
  /** Resolves when all that was written so far is in `outputs`. */
  drain(): Promise<void>;
  /** Ends it with its whole group, at once. */
  kill(): void;
}

/** Most turns of the event loop that are given to streams which a background process never leaves alone. */
const drainTurns = 200;

/** Starts a program and tells it what it is told first. */
export function startRunnerProcess(program: RunnerProgram, options: RunnerOptions): RunnerProcess {
  const [name, value] = options.marker;
  const ownMarker = [`${name}_RUNNER`, randomUUID()] as const;
  const child = spawn(program.command, program.args, {
    cwd: options.directory,
    env: childEnvironment({ ...program.env, [name]: value, [ownMarker[0]]: ownMarker[1] }),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  });
  const pipes = child.stdio as unknown as readonly [null, Readable, Readable, Writable, Readable, Writable];
  const [, stdout, stderr, commands, messages] = pipes;
  const encode = program.encode ?? ((message: ToRunner) => `${JSON.stringify(message)}\n`);
  let outputs = createOutputs();
  let chunks = 0;

  async function drain(): Promise<void> {
    for (let turn = 0, quiet = 0; turn < drainTurns && quiet < 2; turn++) {
      const before = chunks;
      await new Promise((resolve) => setImmediate(resolve));
      quiet = chunks === before ? quiet + 1 : 0;
    }
  }

  const ended = endingOf(child).then(async (ending) => {
    killGroup(child);
    await drain();
    // What escaped the group may hold the other ends: they are of no more interest.
    for (const pipe of pipes) pipe?.destroy();
    return ending;
  });

  const runner: RunnerProcess = {
    onMessage: () => undefined,
    onOutput: () => undefined,
    get outputs() {
      return outputs;
    },
    takeOutputs() {
      const taken = outputs;
      outputs = createOutputs();
      return taken;
    },
    ended,
    gone: ended.then(() => killStrays(...ownMarker)),
    send: (message) => {
      commands.write(encode(message));
    },
    drain,
    kill: () => killGroup(child),
  };

  // A pipe whose other end has gone: `ended` tells.
  for (const pipe of pipes) pipe?.on('error', () => undefined);
  for (const [stream, pipe] of [['stdout', stdout] as const, ['stderr', stderr] as const]) {
    pipe.on('data', (chunk: Buffer) => {
      chunks++;
      const text = outputs[stream].push(chunk);
      if (text !== '') runner.onOutput(stream, text);
    });
  }
  const read = createMessageReader((message) => runner.onMessage(message));
  messages.on('data', (chunk: Buffer) => {
    chunks++;
    read(chunk);
  });
  runner.send(program.start);
  return runner;
}

function createOutputs(): Outputs {
  return { stdout: createOutput(limits.output), stderr: createOutput(limits.output) };
}

/** The `exit` event, not `close`: a process left in the background may hold the pipes for long. */
function endingOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    execFile('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true }, () => undefined);
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left of the group.
  }
}
