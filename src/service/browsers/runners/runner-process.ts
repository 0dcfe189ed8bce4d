import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { limits } from '../../../contract/limits.ts';
import { childEnvironment, variableIn } from '../../platform/environment.ts';
import { killTree, killWithDescendants } from '../../platform/system/kill-tree.ts';
import { startProcess } from '../../platform/system/start-process.ts';
import { killStrays } from '../../platform/system/stray-processes.ts';
import { exitInside } from '../isolation/isolation.ts';
import { handleReading } from './handle-text.ts';
import { withLifeline } from './lifeline.ts';
import { createMessageReader, type FromRunner, maxWholeLineLength, type ToRunner } from './messages.ts';
import { createOutput, type Output } from './output.ts';
import type { OutputStream, RunnerOptions } from './runner.ts';

/** The command line and environment of a program that runs snippets. */
export interface RunnerProgram {
  command: string;
  args: readonly string[];
  /** Environment variables in addition to those of every child process. */
  env: NodeJS.ProcessEnv;
  /** Folders and files that it needs besides those of the system. */
  reads?: readonly string[];
  /** Encodes messages to the program. By default, one line of JSON each. */
  encode?: (message: ToRunner) => string;
}

/** How a process exited. `error` is set if it failed to start. */
export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  error?: Error;
}

export type Outputs = Record<OutputStream, Output>;

/** A running runner program, in its own process group. */
export type RunnerProcess = ReturnType<typeof startRunnerProcess>;

/** Maximum event loop turns to drain the streams: a background process may never stop writing. */
const maxDrainTurns = 200;

/** The process of a runner that has just been started. */
export type RunnerChild = ReturnType<typeof startRunnerChild>;

/**
 * Starts the process of a program, with a marker for everything that it starts, in the environment of its sandbox, if it is in
 * one. Throws if the system can't start another process.
 */
export function startRunnerChild(
  program: RunnerProgram,
  options: Pick<RunnerOptions, 'marker' | 'directory' | 'isolate'>,
) {
  const [name, value] = options.marker;
  const ownMarker = [`${name}_RUNNER`, randomUUID()] as const;
  const env = childEnvironment({ ...program.env, [name]: value, [ownMarker[0]]: ownMarker[1] });
  const plain = withLifeline({ command: program.command, args: program.args, env, cwd: options.directory }, ownMarker);
  const { command, args, ...started } = options.isolate?.(plain, program.reads) ?? plain;
  const child = startProcess(command, args, {
    ...started,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const exit = exitOf(child, options.isolate !== undefined);
  return { child, exit, marker: ownMarker, environment: started.env };
}

/**
 * Starts a program, unless it is started already, and sends its first message once the session's browser is open. Throws if
 * the system can't start another process.
 */
export function startRunnerProcess(program: RunnerProgram, options: RunnerOptions, started?: RunnerChild) {
  const { child, exit, marker, environment } = started ?? startRunnerChild(program, options);
  const pipes = child.stdio as unknown as readonly [null, Readable, Readable, Writable, Readable, Writable];
  const [, stdout, stderr, commands, messages] = pipes;
  const encode = program.encode ?? lineOf;
  let outputs = createOutputs();
  let chunks = 0;
  let nonce: string | undefined;
  /** The variables that the run before had. */
  let changed: string[] = [];

  async function drain(): Promise<void> {
    for (let turn = 0, quiet = 0; turn < maxDrainTurns && quiet < 2; turn++) {
      const before = chunks;
      await new Promise((resolve) => setImmediate(resolve));
      quiet = chunks === before ? quiet + 1 : 0;
    }
  }

  const exited = exit.then(async (how) => {
    killTree(child.pid);
    await drain();
    // Processes that escaped the group may hold the other ends open.
    for (const pipe of pipes) pipe?.destroy();
    return how;
  });

  const runner = {
    onMessage: (_message: FromRunner): void => undefined,
    /** Called with the text of a stream as it arrives, up to the output limit. */
    onOutput: (_stream: OutputStream, _text: string): void => undefined,
    /** Output since the last `takeOutputs`. */
    get outputs(): Outputs {
      return outputs;
    },
    /** Returns the outputs and replaces them with empty ones, which keep up to `wholeLimit` bytes. */
    takeOutputs(wholeLimit?: number): Outputs {
      const taken = outputs;
      outputs = createOutputs(wholeLimit);
      return taken;
    },
    /** Resolves when the process has exited and all it wrote is in `outputs`. */
    exited,
    /** Resolves when the process and everything it started are gone. */
    gone: exited.then(() => killStrays(...marker)),
    send(message: ToRunner): void {
      // A shell's own messages are short, and its snippets know the nonce.
      if (message.type === 'run' && !program.encode) nonce = message.nonce;
      commands.write(encode(message));
    },
    /** Returns what changes in the environment for a run with some variables: those of the run before have their own values again. */
    changesTo(variables: Readonly<Record<string, string>> = {}): Record<string, string | null> {
      const before = Object.fromEntries(changed.map((name) => [name, variableIn(environment, name) ?? null]));
      // Strays are found by the session's own variables.
      const given = Object.entries(variables).filter(([name]) => name !== options.marker[0] && name !== marker[0]);
      changed = given.map(([name]) => name);
      return { ...before, ...Object.fromEntries(given) };
    },
    /** Resolves when everything written so far is in `outputs`. */
    drain,
    /** Kills the process and what it has started. */
    kill: (): void => killWithDescendants(child),
  };

  // A pipe error means that the other end is closed; `exited` reports that.
  for (const pipe of pipes) pipe?.on('error', () => undefined);
  for (const [stream, pipe] of [['stdout', stdout] as const, ['stderr', stderr] as const]) {
    pipe.on('data', (chunk: Buffer) => {
      chunks++;
      const text = outputs[stream].push(chunk);
      if (text !== '') runner.onOutput(stream, text);
    });
  }
  const read = createMessageReader(
    (message) => runner.onMessage(message),
    () => nonce,
    options.isolate ? undefined : maxWholeLineLength,
  );
  messages.on('data', async (chunk: Buffer) => {
    chunks++;
    messages.pause();
    await read(chunk);
    chunks++;
    messages.resume();
  });
  const begin = (cdpUrl: string) =>
    runner.send({ type: 'start', cdpUrl, downloads: options.downloads, handles: handleReading });
  // If the browser doesn't open, its session disposes of the runner.
  void Promise.resolve(options.cdpUrl).then(begin, () => undefined);
  return runner;
}

/** Encodes a message. The separators of Unicode are line breaks for `readline`, but not for JSON. */
const lineOf = (message: ToRunner): string =>
  `${JSON.stringify(message).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;

function createOutputs(wholeLimit?: number): Outputs {
  return { stdout: createOutput(limits.output, wholeLimit), stderr: createOutput(limits.output, wholeLimit) };
}

/** Waits for the `exit` event, not `close`: a background process may keep the pipes open. */
function exitOf(child: ChildProcess, isIsolated: boolean): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(isIsolated ? exitInside(code, signal) : { code, signal }));
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
  });
}
