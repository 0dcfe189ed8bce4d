import { constants } from 'node:os';
import { limits } from '../../contract/limits.ts';
import type { ResultMessage } from './messages.ts';
import { cutText } from './output.ts';
import type { RunOutcome } from './runner.ts';
import type { Ending, Outputs } from './runner-process.ts';

/** How a run came to its end: the program answered, the process ended, or somebody or the timeout stopped it. */
export type Verdict = { result: ResultMessage } | { ending: Ending } | { stopped: string };

/** Bytes of standard error that stand for an error. */
const errorLimit = 64 * 1024;
const outOfMemory = /heap out of memory|MemoryError|Cannot allocate memory/i;
/** Exit code of what SIGKILL ended, as shells count. */
const killedCode = 128 + constants.signals.SIGKILL;

/** What a run came to. `early` is what the process wrote since the run before; it is no part of the result. */
export function outcomeOf(verdict: Verdict, early: { stdout: string; stderr: string }, outputs: Outputs): RunOutcome {
  const result = 'result' in verdict ? verdict.result : undefined;
  const stdout = joined(early.stdout, outputs.stdout.text);
  const stderr = joined(early.stderr, outputs.stderr.text);
  const outcome: RunOutcome = {
    stdout: stdout.text,
    stderr: stderr.text,
    result: result?.result ?? outputs.stdout.text.trim(),
    exitCode: killedCode,
    killed: 'stopped' in verdict,
  };
  if (result) {
    outcome.exitCode = result.exitCode;
    const complaint = () => complaintOf(outputs) || `The code ended with exit code ${result.exitCode}.`;
    if (result.exitCode !== 0) outcome.error = result.error ?? complaint();
  }
  if ('stopped' in verdict) outcome.error = verdict.stopped;
  if ('ending' in verdict) {
    outcome.exitCode = exitCodeOf(verdict.ending);
    if (outcome.exitCode !== 0) outcome.error = endingError(verdict.ending, outputs);
  }
  if ([stdout, stderr, outputs.stdout, outputs.stderr].some(({ truncated }) => truncated) || result?.truncated) {
    outcome.truncated = true;
  }
  return outcome;
}

function endingError(ending: Ending, outputs: Outputs): string {
  const exited = ending.code !== null && !outOfMemory.test(outputs.stderr.text);
  return (exited && complaintOf(outputs)) || describeEnding(ending, outputs.stderr.text);
}

/** What a program complained of stands for the error that it does not name. */
function complaintOf({ stderr }: Outputs): string {
  return cutText(stderr.text.trim(), errorLimit).text;
}

/** What a run that never began came to. */
export function stoppedBeforeStart(reason: string): RunOutcome {
  return { stdout: '', stderr: '', result: '', exitCode: killedCode, killed: true, error: reason };
}

/** A sentence on how a process ended that nobody here had asked to. */
export function describeEnding({ code, signal, error }: Ending, stderr = ''): string {
  if (error) return `The runner's process could not be started: ${error.message}.`;
  if (outOfMemory.test(stderr) && (signal !== null || code !== 0)) {
    return 'The snippet ran out of memory, and its process ended.';
  }
  if (signal === 'SIGKILL') {
    return "The snippet's process was ended by SIGKILL: most likely the machine ran out of memory.";
  }
  if (signal !== null) return `The snippet's process was ended by ${signal}.`;
  return `The snippet ended its process with exit code ${code}.`;
}

function exitCodeOf({ code, signal }: Ending): number {
  if (signal !== null) return 128 + constants.signals[signal];
  return code ?? 1;
}

function joined(early: string, own: string): { text: string; truncated: boolean } {
  return early === '' ? { text: own, truncated: false } : cutText(early + own, limits.output);
}
