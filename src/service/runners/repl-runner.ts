import { randomUUID } from 'node:crypto';
import type { Language } from '../../contract/execution.ts';
import type { ReadyMessage, ResultMessage } from './messages.ts';
import { describeEnding, outcomeOf, stoppedBeforeStart, type Verdict } from './outcome.ts';
import { type Runner, type RunnerOptions, RunnerUnavailableError, type RunOutcome, type RunRequest } from './runner.ts';
import { type Ending, type RunnerProcess, type RunnerProgram, startRunnerProcess } from './runner-process.ts';

export interface ReplRunnerOptions extends RunnerOptions {
  language: Language;
  /** Finds the program and installs what it lacks. Rejects with RunnerUnavailableError. */
  prepare(notice: (text: string) => void): RunnerProgram | Promise<RunnerProgram>;
}

/** Milliseconds for a program to start and reach the browser, on a machine that is busy. */
const startLimitMs = 60_000;
/** How often a run is given to a process; one may have ended unnoticed. */
const attempts = 3;
const sessionOver = 'The session has ended.';

/** A runner on a program that speaks the messages of messages.ts. One process is kept; one that is killed is replaced. */
export function createReplRunner(options: ReplRunnerOptions): Runner {
  let current: RunnerProcess | undefined;
  let ready: Promise<{ runner: RunnerProcess; error?: string }> | undefined;
  let request: RunRequest | undefined;
  /** Stops the run that goes on, for the reason given. */
  let stop: ((reason: string) => void) | undefined;
  let disposed = false;
  /** Counts the processes that were let go: one that is still being prepared is not to be started. */
  let generation = 0;
  /** What the next run has to say about the end of the process before. */
  let obituary = '';
  const leaving = new Set<Promise<void>>();

  function start(): NonNullable<typeof ready> {
    if (ready) return ready;
    const attempt = startProcess();
    ready = attempt;
    attempt.catch(() => {
      if (ready === attempt) ready = undefined;
    });
    return attempt;
  }

  async function startProcess(): Promise<{ runner: RunnerProcess; error?: string }> {
    if (disposed) throw new RunnerUnavailableError(sessionOver);
    const mine = generation;
    const program = await options.prepare((text) => request?.onNotice?.(text));
    if (mine !== generation) throw new RunnerUnavailableError(disposed ? sessionOver : 'The REPL was reset.');
    const runner = startRunnerProcess(program, options);
    current = runner;
    const left = runner.gone.finally(() => leaving.delete(left));
    leaving.add(left);
    void runner.ended.then((ending) => {
      if (current !== runner) return;
      forget();
      if (!request) obituary = obituaryOf(ending, runner.outputs.stderr.text);
    });
    try {
      const { error } = await readiness(runner);
      runner.takeOutputs();
      return { runner, ...(error !== undefined && { error }) };
    } catch (error) {
      runner.kill();
      throw error;
    }
  }

  /** What the program says when it is ready. */
  function readiness(runner: RunnerProcess): Promise<ReadyMessage> {
    return new Promise((resolve, reject) => {
      const fail = (text: string) =>
        reject(new RunnerUnavailableError(`The ${options.language} runner did not start. ${text}`.trim()));
      const timer = setTimeout(() => fail(`It was not ready after ${startLimitMs / 1000} s.`), startLimitMs);
      runner.onMessage = (message) => {
        if (message.type !== 'ready') return;
        clearTimeout(timer);
        resolve(message);
      };
      void runner.ended.then((ending) => {
        clearTimeout(timer);
        fail(disposed ? sessionOver : `${describeEnding(ending)} ${runner.outputs.stderr.text.slice(-2000).trim()}`);
      });
    });
  }

  function forget(): void {
    generation++;
    current = undefined;
    ready = undefined;
  }

  /** Ends the process and resolves when nothing is left of it and of those before it. */
  async function discard(): Promise<void> {
    current?.kill();
    forget();
    await Promise.all(leaving);
  }

  /** The process, ready to run. What takes longer than the caller waits, such as an install, goes on without it. */
  async function process(timeoutMs: number): Promise<RunnerProcess> {
    const starting = start();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        if (current) return;
        const text = `What ${options.language} needs is being installed, and that goes on: try again in a minute.`;
        reject(new RunnerUnavailableError(text));
      }, timeoutMs);
    });
    try {
      return (await Promise.race([starting, late])).runner;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs the code; gives nothing when the process had ended before the code began, unless this is the last attempt. */
  async function execute(runner: RunnerProcess, run: RunRequest, stopped: Promise<Verdict>, lastAttempt: boolean) {
    const { code, timeoutMs, onOutput } = run;
    const waiting = runner.takeOutputs();
    const early = { stdout: waiting.stdout.text, stderr: obituary + waiting.stderr.text };
    obituary = '';
    if (early.stdout !== '') onOutput?.('stdout', early.stdout);
    if (early.stderr !== '') onOutput?.('stderr', early.stderr);
    if (onOutput) runner.onOutput = onOutput;

    const nonce = randomUUID();
    let began = false;
    let result: ResultMessage | undefined;
    let timer: NodeJS.Timeout | undefined;
    const answered = new Promise<Verdict>((resolve) => {
      runner.onMessage = (message) => {
        if (message.type === 'ready' || message.nonce !== nonce) return;
        began = true;
        if (message.type === 'started') return;
        result = message;
        resolve({ result });
      };
      const text = `The run was killed after its timeout of ${timeoutMs / 1000} s.`;
      timer = setTimeout(() => resolve({ stopped: text }), timeoutMs);
    });
    runner.send({ type: 'run', nonce, code });
    const died = runner.ended.then((ending): Verdict => (result ? { result } : { ending }));
    const verdict = await Promise.race([answered, died, stopped]);
    clearTimeout(timer);

    if ('stopped' in verdict) {
      runner.kill();
      await runner.ended;
      if (current === runner) forget();
    } else {
      await runner.drain();
    }
    runner.onOutput = () => undefined;
    if ('ending' in verdict && !began && !lastAttempt) {
      obituary = early.stderr + obituaryOf(verdict.ending);
      return undefined;
    }
    // The next run is not to wait for a process, though no one may ever ask for it.
    if (!current && !disposed) start().catch(() => undefined);
    return outcomeOf(verdict, early, runner.takeOutputs());
  }

  async function run(next: RunRequest): Promise<RunOutcome> {
    if (request) throw new Error('A run goes on: the runs of a session are queued by who owns it.');
    request = next;
    const { signal } = next;
    const stopped = new Promise<{ stopped: string }>((resolve) => {
      stop = (reason) => resolve({ stopped: reason });
    });
    const onAbort = () => stop?.(abortReason(signal));
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    try {
      for (let attempt = 1; ; attempt++) {
        const runner = await Promise.race([stopped, process(next.timeoutMs)]);
        if ('stopped' in runner) return stoppedBeforeStart(runner.stopped);
        const outcome = await execute(runner, next, stopped, attempt === attempts);
        if (outcome) return outcome;
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      stop = undefined;
      request = undefined;
    }
  }

  return {
    language: options.language,
    run,
    async warm() {
      const { error } = await start();
      if (error !== undefined) throw new Error(error);
    },
    async reset() {
      stop?.('The REPL was reset while the code ran.');
      await discard();
      if (!disposed) start().catch(() => undefined);
    },
    async dispose() {
      disposed = true;
      stop?.('The session ended while the code ran.');
      await discard();
    },
  };
}

/** What the next run says of the process before it. */
function obituaryOf(ending: Ending, stderr = ''): string {
  return `${describeEnding(ending, stderr)} Its variables are lost.\n`;
}

function abortReason(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return reason instanceof Error && reason.name !== 'AbortError' ? reason.message : 'The run was cancelled.';
}
