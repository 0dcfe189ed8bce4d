import { constants } from 'node:os';
import { limits } from '../../../contract/limits.ts';
import type { ResultMessage } from './messages.ts';
import { cutText } from './output.ts';
import type { RunOutcome, WholeParts } from './runner.ts';
import type { Outputs, ProcessExit } from './runner-process.ts';

/** How a run ended: the program sent a result, the process exited, or the run was stopped by its timeout or a caller. */
export type RunEnd = { result: ResultMessage } | { exit: ProcessExit } | { stopped: string };

const errorLimit = 64 * 1024;
const outOfMemory = /heap out of memory|MemoryError|Cannot allocate memory/i;
/** Exit code of a process killed by SIGKILL, as in shells. */
const killedCode = 128 + constants.signals.SIGKILL;

/** Returns the outcome of a run. `early` is the output since the previous run, which isn't part of the result. */
export function outcomeOf(end: RunEnd, early: { stdout: string; stderr: string }, outputs: Outputs): RunOutcome {
  const result = 'result' in end ? end.result : undefined;
  const stdout = cutText(early.stdout + outputs.stdout.text, limits.output);
  const stderr = cutText(early.stderr + outputs.stderr.text, limits.output);
  const isCut = result?.size !== undefined;
  const shown = cutText(result?.result ?? outputs.stdout.text.trim(), limits.output);
  const outcome: RunOutcome = {
    stdout: stdout.text,
    stderr: stderr.text,
    result: shown.text,
    ...statusOf(end, outputs),
  };
  if (result?.result === '') outcome.emptyValue = true;
  const whole: WholeParts = {};
  if (shown.truncated && result?.result !== undefined && !isCut) whole.result = result.result;
  for (const stream of ['stdout', 'stderr'] as const) {
    const text = outputs[stream].whole;
    if (text !== undefined) whole[stream] = early[stream] + text;
  }
  if (Object.keys(whole).length > 0) outcome.whole = whole;
  if ([stdout, stderr, shown, outputs.stdout, outputs.stderr].some(({ truncated }) => truncated) || isCut) {
    outcome.truncated = true;
    outcome.sizes = {
      stdout: Buffer.byteLength(early.stdout) + outputs.stdout.size,
      stderr: Buffer.byteLength(early.stderr) + outputs.stderr.size,
      result: result?.size ?? Buffer.byteLength(result?.result ?? outcome.result),
      ...((shown.truncated || isCut) && result?.rows !== undefined && { rows: result.rows }),
    };
  }
  return outcome;
}

function statusOf(end: RunEnd, { stderr }: Outputs): Pick<RunOutcome, 'exitCode' | 'killed' | 'error'> {
  if ('stopped' in end) return { exitCode: killedCode, killed: true, error: end.stopped };
  const exitCode = 'result' in end ? end.result.exitCode : exitCodeOf(end.exit);
  if (exitCode === 0) return { exitCode, killed: false };
  const written = cutText(stderr.text.trim(), errorLimit).text;
  if ('result' in end) {
    const error = end.result.error ?? (written || `The code exited with code ${exitCode}.`);
    return { exitCode, killed: false, error };
  }
  const exitedByItself = end.exit.code !== null && !outOfMemory.test(stderr.text);
  return { exitCode, killed: false, error: (exitedByItself && written) || describeExit(end.exit, stderr.text) };
}

/** Returns the outcome of a run that was stopped before its code started. */
export function stoppedBeforeStart(reason: string): RunOutcome {
  return { stdout: '', stderr: '', result: '', exitCode: killedCode, killed: true, error: reason };
}

/** Returns a sentence on why a process exited that the service didn't stop. */
export function describeExit({ code, signal, error }: ProcessExit, stderr = ''): string {
  if (error) return `The runner process failed to start: ${error.message}.`;
  if (outOfMemory.test(stderr) && (signal !== null || code !== 0)) {
    return 'The snippet ran out of memory and its process was stopped.';
  }
  if (signal === 'SIGKILL') {
    return "The snippet's process was stopped by SIGKILL, most likely because the machine ran out of memory.";
  }
  if (signal !== null) return `The snippet's process was stopped by ${signal}.`;
  return `The snippet's process exited with code ${code}.`;
}

function exitCodeOf({ code, signal }: ProcessExit): number {
  if (signal !== null) return 128 + constants.signals[signal];
  return code ?? 1;
}
