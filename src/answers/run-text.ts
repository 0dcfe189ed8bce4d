import type { ExecutionResult } from '../contract/sessions/execution.ts';

/** How a run ended. Missing parts are undefined; an exit code that is null is unknown too. */
export type RunOutcome = Pick<
  ExecutionResult,
  'result' | 'stdout' | 'stderr' | 'error' | 'exitCode' | 'killed' | 'truncated'
>;

/** Writes the outcome of a run: how it ended, then its result, output and error, as far as there are any. */
export function describeRun(run: RunOutcome): { summary: string; text: string } {
  const summary = run.killed
    ? 'The run was stopped before it finished.'
    : run.error || run.exitCode !== 0
      ? `The run failed${typeof run.exitCode === 'number' ? ` (exit code ${run.exitCode})` : ''}.`
      : 'The run succeeded.';
  const parts: string[] = [];
  if (run.error) parts.push(`error: ${run.error}`);
  if (run.result) parts.push(run.result);
  if (run.stdout && run.stdout.trim() !== run.result?.trim()) parts.push(`stdout:\n${run.stdout.trimEnd()}`);
  if (run.stderr && !run.error?.includes(run.stderr.trim())) parts.push(`stderr:\n${run.stderr.trimEnd()}`);
  return { summary: run.truncated ? `${summary} Its output was cut at 1 MiB.` : summary, text: parts.join('\n\n') };
}
