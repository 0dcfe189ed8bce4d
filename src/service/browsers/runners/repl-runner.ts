import { randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { Language } from '../../../contract/sessions/execution.ts';
import { within } from '../../platform/async.ts';
import { messageOf } from '../../platform/errors.ts';
import type { ResultMessage } from './messages.ts';
import { describeExit, outcomeOf, type RunEnd, stoppedBeforeStart } from './outcome.ts';
import { type Runner, type RunnerOptions, RunnerUnavailableError, type RunOutcome, type RunRequest } from './runner.ts';
import { type ProcessExit, type RunnerProcess, type RunnerProgram, startRunnerProcess } from './runner-process.ts';

/** Milliseconds for a program to start and connect to the browser, even on a busy machine. */
const startLimitMs = 60_000;
/** Milliseconds of the longest timer: for no limit. */
const longestTimer = 2 ** 31 - 1;
/** How many processes a run is sent to: one may have exited unnoticed. */
const maxAttempts = 3;
const sessionOver = 'The session has ended.';

/**
 * Creates a runner for a program that uses the messages of messages.ts. Keeps one process and replaces a killed one.
 * @param prepare finds the program and installs what it needs; rejects with RunnerUnavailableError
 */
export function createReplRunner(
  language: Language,
  options: RunnerOptions,
  prepare: (notice: (text: string) => void) => RunnerProgram | Promise<RunnerProgram>,
): Runner {
  let current: RunnerProcess | undefined;
  let ready: ReturnType<typeof startProcess> | undefined;
  let request: RunRequest | undefined;
  let stop: ((reason: string) => void) | undefined;
  let disposed = false;
  /** Counts discarded processes: one that is still being prepared when it is discarded must not start. */
  let generation = 0;
  /** A message for the next run on why the previous process exited. */
  let exitNotice = '';
  const exiting = new Set<Promise<void>>();
  let { started } = options;

  function start(): ReturnType<typeof startProcess> {
    if (ready) return ready;
    const attempt = startProcess();
    ready = attempt;
    attempt.catch(() => {
      if (ready === attempt) ready = undefined;
    });
    return attempt;
  }

  async function startProcess(): Promise<{ runner: RunnerProcess; error: string | undefined }> {
    if (disposed) throw new RunnerUnavailableError(sessionOver);
    const ownGeneration = generation;
    const program = await prepare((text) => request?.onNotice?.(text));
    if (ownGeneration !== generation) throw new RunnerUnavailableError(disposed ? sessionOver : 'The REPL was reset.');
    let runner: RunnerProcess;
    try {
      runner = startRunnerProcess(program, options, started);
    } catch (error) {
      throw notStarted(`${messageOf(error)}.`);
    } finally {
      started = undefined;
    }
    current = runner;
    const gone = runner.gone.finally(() => exiting.delete(gone));
    exiting.add(gone);
    void runner.exited.then((exit) => {
      if (current !== runner) return;
      forget();
      if (!request) exitNotice = exitNoticeOf(exit, runner.outputs.stderr.text);
    });
    try {
      const error = await readiness(runner);
      runner.takeOutputs();
      return { runner, error };
    } catch (error) {
      runner.kill();
      throw error;
    }
  }

  function notStarted(reason: string): RunnerUnavailableError {
    return new RunnerUnavailableError(`The ${language} runner did not start. ${reason}`.trim());
  }

  /** Resolves once the process is ready, to why the browser can't be reached. */
  async function readiness(runner: RunnerProcess): Promise<string | undefined> {
    const ready = new Promise<string | undefined>((resolve) => {
      runner.onMessage = (message) => message.type === 'ready' && resolve(message.error);
    });
    const exited = runner.exited.then((exit) => {
      const stderr = runner.outputs.stderr.text.slice(-2000).trim();
      throw notStarted(disposed ? sessionOver : `${describeExit(exit)} ${stderr}`);
    });
    const first = Promise.race([ready, exited]);
    if (!(await within(startLimitMs, first))) throw notStarted(`It was not ready after ${startLimitMs / 1000} s.`);
    return await first;
  }

  function forget(): void {
    generation++;
    current = undefined;
    ready = undefined;
  }

  /** Kills the process. Resolves when it and all earlier processes are gone. */
  async function discard(): Promise<void> {
    current?.kill();
    forget();
    await Promise.all(exiting);
  }

  /** Returns the process once it is ready. After the timeout, an install continues in the background. */
  async function process(timeoutMs: number): Promise<RunnerProcess> {
    const starting = start();
    if (!(await within(Math.min(timeoutMs, longestTimer), starting)) && !current)
      throw new RunnerUnavailableError(`The ${language} runner is still being installed. Try again in a minute.`);
    return (await starting).runner;
  }

  /** Runs the code. Returns undefined if the process exited before the code started, unless this is the last attempt. */
  async function execute(runner: RunnerProcess, run: RunRequest, stopped: Promise<RunEnd>, lastAttempt: boolean) {
    const { code, timeoutMs, place, tab, onOutput, keepWhole } = run;
    const resultLimit = keepWhole ? limits.wholeResult.each : limits.output;
    // What was written by now isn't this run's.
    await runner.drain();
    const unread = runner.takeOutputs(resultLimit);
    const early = { stdout: unread.stdout.text, stderr: exitNotice + unread.stderr.text };
    exitNotice = '';
    for (const stream of ['stdout', 'stderr'] as const) if (early[stream] !== '') onOutput?.(stream, early[stream]);
    if (onOutput) runner.onOutput = onOutput;

    const nonce = randomUUID();
    let started = false;
    let result: ResultMessage | undefined;
    const answered = new Promise<RunEnd>((resolve) => {
      runner.onMessage = (message) => {
        if (message.type === 'ready' || message.nonce !== nonce) return;
        started = true;
        if (message.type === 'started') return;
        result = message;
        resolve({ result });
      };
    });
    const { file, line, directory } = place ?? {};
    const environment = runner.changesTo(place?.environment);
    runner.send({ type: 'run', nonce, code, file, line, directory, tab, environment, resultLimit });
    const exited = runner.exited.then((exit): RunEnd => (result ? { result } : { exit }));
    const ended = Promise.race([answered, exited, stopped]);
    const end = (await within(Math.min(timeoutMs, longestTimer), ended))
      ? await ended
      : { stopped: `The run was killed after its timeout of ${timeoutMs / 1000} s.` };

    if ('stopped' in end) {
      runner.kill();
      await runner.exited;
      if (current === runner) forget();
    } else {
      await runner.drain();
    }
    runner.onOutput = () => undefined;
    if ('exit' in end && !started && !lastAttempt) {
      exitNotice = early.stderr + exitNoticeOf(end.exit);
      return undefined;
    }
    // The process starts now, so that the next run, if any, doesn't have to wait.
    if (!current && !disposed) start().catch(() => undefined);
    return outcomeOf(end, early, runner.takeOutputs());
  }

  async function run(next: RunRequest): Promise<RunOutcome> {
    if (request) throw new Error('A run is already in progress. The caller must queue the runs of a session.');
    request = next;
    const { signal } = next;
    const { promise: stopped, resolve } = Promise.withResolvers<{ stopped: string }>();
    stop = (reason) => resolve({ stopped: reason });
    const onAbort = () => stop?.(abortReason(signal));
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    try {
      for (let attempt = 1; ; attempt++) {
        const runner = await Promise.race([stopped, process(next.timeoutMs)]);
        if ('stopped' in runner) return stoppedBeforeStart(runner.stopped);
        const outcome = await execute(runner, next, stopped, attempt === maxAttempts);
        if (outcome) return outcome;
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      stop = undefined;
      request = undefined;
    }
  }

  return {
    run,
    async warm() {
      const { error } = await start();
      if (error !== undefined) throw new Error(error);
    },
    async reset() {
      stop?.('The REPL was reset while the code was running.');
      await discard();
      if (!disposed) start().catch(() => undefined);
    },
    async dispose() {
      disposed = true;
      stop?.('The session ended while the code was running.');
      await discard();
    },
  };
}

/** Returns a message for the next run on why the process exited. */
function exitNoticeOf(exit: ProcessExit, stderr = ''): string {
  return `${describeExit(exit, stderr)} Its variables were lost.\n`;
}

function abortReason(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return reason instanceof Error && reason.name !== 'AbortError' ? reason.message : 'The run was canceled.';
}
