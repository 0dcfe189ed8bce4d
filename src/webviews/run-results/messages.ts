/** What goes between the Run Results view and the extension. */

export type RunState = 'running' | 'ok' | 'failed' | 'cancelled';

/** A run as the view shows it. Texts of servers are in it as they came: they are shown as text alone. */
export interface ShownRun {
  id: string;
  sessionId: string;
  /** Short id and name. */
  session: string;
  title: string;
  state: RunState;
  /** What it waits for. */
  phase?: string;
  startedAt: number;
  durationMs?: number;
  notice?: string;
  /** The error on one line. */
  headline?: string;
  result?: string;
  stdout?: string;
  stderr?: string;
  error?: string;
  truncated?: boolean;
  /** `tryAgain`: it may well work now, and that is offered below its error. */
  can: { runAgain: boolean; tryAgain: boolean; goToCode: boolean; openLiveView: boolean };
}

export interface Events {
  /** All runs, newest first: at the start and when they were cleared. */
  runs: { runs: ShownRun[] };
  /** A new run, or a changed one. */
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
