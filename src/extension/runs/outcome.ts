import type { ExecutionResult, InteractionResult } from '../../contract/execution.ts';
import { duration, label } from '../ui/text.ts';

export type RunState = 'running' | 'ok' | 'failed' | 'cancelled';

/** What a run left behind; a part that does not exist is undefined. */
export interface RunParts {
  result?: string;
  stdout?: string;
  stderr?: string;
  error?: string;
  truncated?: boolean;
}

/** Whether an answer tells of success. Servers answer `success: true` with an error in it, so all signs count. */
export function isSuccess(answer: ExecutionResult): boolean {
  return answer.success !== false && !answer.error && !answer.killed && (answer.exitCode ?? 0) === 0;
}

/** The parts of an answer, with an error for every failure even where the server gave none. */
export function partsOf(answer: InteractionResult): RunParts {
  const parts: RunParts = {
    // What an agent answers is what was asked for; its last look at the page is not.
    result: present(answer.output) ?? present(answer.result),
    stdout: present(answer.stdout),
    stderr: present(answer.stderr),
    error: present(answer.error),
  };
  if (answer.truncated) parts.truncated = true;
  if (!isSuccess(answer) && parts.error === undefined) {
    parts.error = answer.killed
      ? 'The run was ended before it was done (timeout).'
      : `The run failed with exit code ${answer.exitCode ?? 'unknown'}.`;
  }
  return parts;
}

function present(text: string | null | undefined): string | undefined {
  return text ? text : undefined;
}

/** The first line of an error, without an "Error: " that says nothing. */
export function errorHeadline(error: string, most = 200): string {
  const lines = error.trim().split('\n');
  // A syntax error of V8 begins with the place and the source line; what went wrong comes after.
  const named = lines.find((line) => /^\s*(?:Uncaught )?[A-Za-z_.]*(?:Error|Exception)\b.*/.test(line));
  return label((named ?? lines[0] ?? '').replace(/^\s*(?:Uncaught )?Error:\s*/, ''), most) || 'failed';
}

/** What stands behind the last line of what ran: the value or the error, at most 80 characters, and how long it took. */
export function inlineText(state: RunState, parts: RunParts, durationMs: number | undefined): string {
  // Plain blanks would be shown as one.
  const time = durationMs === undefined ? '' : `\u00a0\u00a0\u00a0${duration(durationMs)}`;
  if (state === 'cancelled') return `stopped${time}`;
  if (state === 'failed') return `✗ ${errorHeadline(parts.error ?? '', 80 - time.length)}`;
  const value = parts.result === undefined ? '✓' : `» ${label(valueLine(parts.result), 76 - time.length)}`;
  return `${value}${time}`;
}

function valueLine(result: string): string {
  if (/^data:image\//i.test(result)) return 'image';
  const lines = result.trimEnd().split('\n');
  // JSON is told by its whole, other text by its first line.
  if (/^[[{]/.test(result)) return lines.map((line) => line.trim()).join(' ');
  return lines.length > 1 ? `${lines[0]} …` : result;
}
