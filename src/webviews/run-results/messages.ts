/** Messages between the Run Results view and the extension. */

export type RunState = 'running' | 'ok' | 'failed' | 'cancelled';

/** A run as the view shows it. Its strings come from servers and must be shown as plain text. */
export interface ShownRun {
  id: string;
  sessionId: string;
  /** Short id and name of the session. */
  session: string;
  title: string;
  state: RunState;
  /** Why the code isn't running yet. */
  phase?: string;
  startedAt: number;
  durationMs?: number;
  notice?: string;
  /** The error in one line. */
  headline?: string;
  result?: string;
  stdout?: string;
  stderr?: string;
  error?: string;
  truncated?: boolean;
  /** `tryAgain`: the failure was temporary, so a button below the error offers another attempt. */
  can: { runAgain: boolean; tryAgain: boolean; goToCode: boolean; openLiveView: boolean };
}

export interface Events {
  /** All runs, newest first. Sent at the start and after the runs were cleared. */
  runs: { runs: ShownRun[] };
  /** A new or changed run. */
  run: { run: ShownRun };
  output: { id: string; stream: 'stdout' | 'stderr'; text: string };
  removed: { id: string };
}

export const parts = ['result', 'stdout', 'stderr', 'error'] as const;
export type Part = (typeof parts)[number];

export const runActions = ['runAgain', 'goToCode', 'openLiveView', 'stop'] as const;
export type RunAction = (typeof runActions)[number];

export interface Requests {
  act: { params: { action: RunAction; id: string }; result: null };
  copy: { params: { id: string; part: Part }; result: null };
  open: { params: { id: string; part: Part }; result: null };
}

export function isActRequest(params: unknown): params is Requests['act']['params'] {
  return isNamed(params) && runActions.includes(params.action as RunAction);
}

export function isPartRequest(params: unknown): params is Requests['copy']['params'] {
  return isNamed(params) && parts.includes(params.part as Part);
}

function isNamed(params: unknown): params is { id: string } & Record<string, unknown> {
  if (typeof params !== 'object' || params === null) return false;
  const { id } = params as { id?: unknown };
  return typeof id === 'string' && id.length <= 200;
}
