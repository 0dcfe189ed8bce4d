import { constants } from 'node:os';
import { limits } from '../../../contract/limits.ts';
import type { ResultMessage } from './messages.ts';
import { cutText } from './output.ts';
import type { OutputStream, RunOutcome, WholeParts } from './runner.ts';
import type { Outputs, ProcessExit } from './runner-process.ts';

/** How a run ended: the program sent a result, the process exited, or the run was stopped by its timeout or a caller. */
export type RunEnd = { result: ResultMessage } | { exit: ProcessExit } | { stopped: string };

const errorLimit = 64 * 1024;
const outOfMemory = /heap out of memory|MemoryError|Cannot allocate memory/i;
/** Exit code of a process killed by SIGKILL, as in shells. */
const killedCode = 128 + constants.signals.SIGKILL;

/** Returns the outcome of a run. `early` is the length of what was written since the previous run, which isn't this one's. */
export function outcomeOf(end: RunEnd, early: Record<OutputStream, number>, { stdout, stderr }: Outputs): RunOutcome {
  const { result: value, size, rows } = 'result' in end ? end.result : ({} as Partial<ResultMessage>);
  const shown = cutText(value ?? stdout.text.slice(early.stdout).trim(), limits.output);
  const isCut = shown.truncated || size !== undefined;
  const outcome: RunOutcome = {
    stdout: stdout.text,
    stderr: stderr.text,
    result: shown.text,
    ...statusOf(end, stderr.text.slice(early.stderr)),
  };
  if (value === '') outcome.emptyValue = true;
  const whole: WholeParts = {
    ...(shown.truncated && size === undefined && value !== undefined && { result: value }),
    ...(stdout.whole !== undefined && { stdout: stdout.whole }),
    ...(stderr.whole !== undefined && { stderr: stderr.whole }),
  };
  if (Object.keys(whole).length > 0) outcome.whole = whole;
  if (stdout.truncated || stderr.truncated || isCut) {
    outcome.truncated = true;
    outcome.sizes = {
      stdout: stdout.size,
      stderr: stderr.size,
      result: size ?? Buffer.byteLength(value ?? outcome.result),
      ...(isCut && rows !== undefined && { rows }),
    };
  }
  return outcome;
}

function statusOf(end: RunEnd, stderr: string): Pick<RunOutcome, 'exitCode' | 'killed' | 'error'> {
  if ('stopped' in end) return { exitCode: killedCode, killed: true, error: end.stopped };
  const exitCode = 'result' in end ? end.result.exitCode : exitCodeOf(end.exit);
  if (exitCode === 0) return { exitCode, killed: false };
  const said = cutText(stderr.trim(), errorLimit).text;
  if ('result' in end)
    return { exitCode, killed: false, error: end.result.error ?? (said || `The code exited with code ${exitCode}.`) };
  const exitedByItself = end.exit.code !== null && !outOfMemory.test(stderr);
  return { exitCode, killed: false, error: (exitedByItself && said) || describeExit(end.exit, stderr) };
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
