import * as l10n from '@vscode/l10n';
import type { OutputSizes } from '../../../contract/embedded.ts';
import type { ExecutionResult, InteractionResult } from '../../../contract/sessions/execution.ts';
import type { Part, RunState, ShownRun } from '../../../webviews/run-results/messages.ts';
import { duration, label } from '../../ui/text/text.ts';
import { errorPosition } from '../editor/error-position.ts';
import { limitError } from '../run-limit.ts';
import type { RunRequest } from '../run-request.ts';
import type { Run } from '../run-store.ts';
import { joinReport } from './error-report.ts';
import { withSourceNames } from './source-names.ts';

/** Exit code of a process that was killed. */
const killedCode = 137;

/** The output of a run. Missing parts are undefined. */
export interface RunParts extends Pick<ShownRun, Part | 'truncated'> {
  /** Bytes of each part before it was cut, if the server reports that. */
  sizes?: OutputSizes;
  /** True if the run was killed, for example by its timeout. */
  killed?: boolean;
}

/** Whether a run succeeded. Servers send `success: true` with an error, so every field counts. */
export function isSuccess(result: ExecutionResult): boolean {
  return result.success !== false && !result.error && !result.killed && (result.exitCode ?? 0) === 0;
}

/** Returns what a run has become with a result: its state, its output, and what to do about its error. */
export function outcomeOf(run: Run, request: RunRequest | undefined, result: InteractionResult): Partial<Run> {
  const { language } = run;
  const parts = partsOf(result);
  const limit = request && limitError(parts, request, run.kept === true);
  if (limit) parts.error = limit.error;
  const advice = language === 'python' ? awaitAdvice(parts) : undefined;
  const errorAt = parts.error === undefined ? undefined : errorPosition(language, parts.error, parts.stderr, run);
  if (parts.error !== undefined) Object.assign(parts, joinReport(parts.error, parts.stderr));
  for (const part of ['result', 'stdout', 'stderr', 'error'] as const) {
    const text = parts[part];
    if (text !== undefined) parts[part] = withSourceNames(text, language, run);
  }
  const state = isSuccess(result) ? 'ok' : 'failed';
  return { ...parts, ...(advice && { notice: advice }), remedy: limit?.remedy, errorAt, state };
}

/** Returns the parts of a result. A failed run always has an error, even if the server sent none. */
export function partsOf(result: InteractionResult): RunParts {
  const parts: RunParts = {
    // The output of an agent is its answer; its result is only the last snapshot of the page. Servers send an empty result
    // also for code without a value: the embedded service tells them apart.
    result: result.output || result.result || (result.emptyValue === true ? '' : undefined),
    stdout: result.stdout || undefined,
    stderr: result.stderr || undefined,
    error: result.error || undefined,
  };
  if (result.truncated) parts.truncated = true;
  if (result.killed || result.exitCode === killedCode) parts.killed = true;
  const sizes = readSizes(result.sizes);
  if (sizes) parts.sizes = sizes;
  if (!isSuccess(result) && parts.error === undefined) {
    parts.error = result.killed
      ? l10n.t('The run was stopped before it finished, most likely by its timeout.')
      : typeof result.exitCode === 'number'
        ? l10n.t('The run failed with exit code {0}.', result.exitCode)
        : l10n.t('The run failed with an unknown exit code.');
  }
  return parts;
}

/** Reads the sizes that a server reported; undefined if they are missing or malformed. */
export function readSizes(sizes: unknown): OutputSizes | undefined {
  if (typeof sizes !== 'object' || sizes === null) return undefined;
  const { stdout, stderr, result, rows, kept } = sizes as Record<string, unknown>;
  const isSize = (size: unknown): size is number => Number.isSafeInteger(size);
  if (!isSize(stdout) || !isSize(stderr) || !isSize(result)) return undefined;
  const parts = Array.isArray(kept) ? kept : [];
  const known = (['result', 'stdout', 'stderr'] as const).filter((part) => parts.includes(part));
  return { stdout, stderr, result, ...(isSize(rows) && { rows }), ...(known.length > 0 && { kept: known }) };
}

const forgottenAwait = /'coroutine' object (?:is not|has no|can't)|coroutine '[^']*' was never awaited/;

/** Returns what to do about Python code that calls a page without awaiting it; undefined for other errors. */
function awaitAdvice({ error = '', stderr = '' }: RunParts): string | undefined {
  if (!forgottenAwait.test(error) && !forgottenAwait.test(stderr)) return undefined;
  return l10n.t('Page calls must be awaited here. Add "await", as in {0}.', 'await page.title()');
}

/** Returns the first line of an error without a generic "Error: " prefix; if there is no room for it, its first sentence. */
export function errorHeadline(error: string, maxLength = 200): string {
  const lines = error.trim().split('\n');
  // A V8 syntax error starts with the position and the source line; the message comes after.
  const named = lines.find((line) => /^\s*(?:Uncaught )?[A-Za-z_.]*(?:Error|Exception)\b.*/.test(line));
  const line = (named ?? lines[0] ?? '').replace(/^\s*(?:Uncaught )?Error:\s*/, '');
  const [sentence = ''] = /^.*?[.!?](?=\s)/.exec(line) ?? [];
  const text = line.length > maxLength && sentence.length > maxLength / 2 ? sentence : line;
  return label(text, maxLength) || l10n.t('failed');
}

/** Returns the text to show after the code: the result or error, and the duration, in at most 80 characters. */
export function inlineText(state: RunState, parts: RunParts, durationMs: number | undefined): string {
  // Ordinary spaces would collapse into one.
  const time = durationMs === undefined ? '' : `\u00a0\u00a0\u00a0${duration(durationMs)}`;
  if (state === 'cancelled') return `${l10n.t('stopped')}${time}`;
  if (state === 'failed') return `✗ ${errorHeadline(parts.error ?? '', 80 - time.length)}`;
  const value = parts.result === undefined ? '✓' : `» ${label(valueLine(parts.result), 76 - time.length)}`;
  return `${value}${time}`;
}

function valueLine(result: string): string {
  if (result === '') return "''";
  if (/^data:image\//i.test(result)) return l10n.t('image');
  const lines = result.trimEnd().split('\n');
  // JSON is shown whole on one line, other text by its first line.
  if (/^[[{]/.test(result)) return lines.map((line) => line.trim()).join(' ');
  return lines.length > 1 ? `${lines[0]} …` : result;
}
