/** Messages between the Run Results view and the extension. */

export type RunState = 'running' | 'ok' | 'failed' | 'cancelled';

/** A run as the view shows it. Its strings come from servers and must be shown as plain text. */
export interface ShownRun {
  id: string;
  sessionId: string;
  /** Name of the session. */
  session: string;
  /** Name of the file that the code is from. */
  file?: string;
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
  /** Bytes of each part before it was cut, if the server reports that. */
  sizes?: Sizes;
  /** Bytes of the whole parts of which only the beginning was kept. */
  unkept?: { readonly [part in Part]?: number };
  /** True until its long parts are read from disk. */
  unread?: boolean;
  /** `again` and `fix` are titles of buttons below the error: for another attempt, and to get what the run lacked. `showAll`: the server kept what it cut from the result. */
  can: {
    runAgain: boolean;
    again?: string;
    fix?: string;
    goToCode: boolean;
    openLiveView: boolean;
    showAll: boolean;
    /** The parts that Copy and Open in Editor get whole, although the view has only their beginning. */
    openAll: readonly Part[];
  };
}

export interface Sizes {
  result: number;
  stdout: number;
  stderr: number;
  /** Members of the result, if it is a list. */
  rows?: number;
}

export interface Events {
  /** All runs, newest first. Sent at the start and after the runs were cleared. */
  runs: { runs: ShownRun[] };
  /** A new or changed run. */
  run: { run: ShownRun };
  output: { id: string; stream: 'stdout' | 'stderr'; text: string };
  removed: { id: string };
  /** The session that runs use; undefined if there is none. */
  current: { sessionId: string | undefined };
}

export const parts = ['result', 'stdout', 'stderr', 'error'] as const;
export type Part = (typeof parts)[number];

export const runActions = ['runAgain', 'fix', 'goToCode', 'openLiveView', 'showAll', 'stop'] as const;
export type RunAction = (typeof runActions)[number];

/** Returns the bytes of a whole part if `received` is only its beginning: a trimmed or presented text may be a little shorter. */
export function wholeSize(run: Pick<ShownRun, 'sizes' | 'unkept'>, part: Part, received: number): number | undefined {
  const sent = part === 'error' ? undefined : run.sizes?.[part];
  const isCut = sent !== undefined && received * 1.01 + 1000 <= sent;
  const size = Math.max(run.unkept?.[part] ?? 0, isCut ? sent : 0);
  return size > received ? size : undefined;
}

/** What is saved of a result: JSON, or the rows of a CSV file, the names of the columns first. */
export type SavedContent = { format: 'json'; text: string } | { format: 'csv'; rows: unknown[][] };

/** A position in the run's file, or in another file that a stack names. 1-based. */
export interface SourceLocation {
  /** Undefined for the run's own file. */
  path?: string;
  line: number;
  column: number;
}

export interface Requests {
  act: { params: { action: RunAction; id: string }; result: null };
  copy: { params: { id: string; part: Part }; result: null };
  open: { params: { id: string; part: Part }; result: null };
  /** Opens a position that the output names. */
  reveal: { params: { id: string; location: SourceLocation }; result: null };
  /** Saves a result. `partial` says what is missing from it, in a sentence. */
  save: { params: { id: string; partial?: string } & SavedContent; result: null };
}

export function isActRequest(params: unknown): params is Requests['act']['params'] {
  return isNamed(params) && runActions.includes(params.action as RunAction);
}

export function isPartRequest(params: unknown): params is Requests['copy']['params'] {
  return isNamed(params) && parts.includes(params.part as Part);
}

export function isRevealRequest(params: unknown): params is Requests['reveal']['params'] {
  if (!isNamed(params) || typeof params.location !== 'object' || params.location === null) return false;
  const { path, line, column } = params.location as Record<string, unknown>;
  const isPosition = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
  return isPosition(line) && isPosition(column) && (path === undefined || (isText(path, 4096) && path !== ''));
}

export function isSaveRequest(params: unknown): params is Requests['save']['params'] {
  if (!isNamed(params)) return false;
  const { format, text, rows, partial } = params;
  const hasContent =
    format === 'csv' ? Array.isArray(rows) && rows.every(Array.isArray) : format === 'json' && typeof text === 'string';
  return hasContent && (partial === undefined || isText(partial, 1000));
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length <= maxLength;
}

function isNamed(params: unknown): params is { id: string } & Record<string, unknown> {
  if (typeof params !== 'object' || params === null) return false;
  return isText((params as { id?: unknown }).id, 200);
}
