import { fieldOf, fields, oneOf, text } from '../common/messages.ts';

/** Messages between the Run Results view and the extension. */

export type RunState = 'running' | 'ok' | 'failed' | 'cancelled';

/** A run as the view shows it. Its strings come from servers and must be shown as plain text. */
export interface ShownRun {
  id: string;
  /** Empty until the run has a session. */
  sessionId: string;
  /** Name of the session. */
  session: string;
  /** Name of the file that the code is from. */
  file?: string;
  title: string;
  state: RunState;
  /** Why the code isn't running yet, such as "getting a session". */
  phase?: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  durationMs?: number;
  /** A message for the user about the run. */
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
  /** Bytes of the whole parts of which only the beginning is left, because all of it was too long to be kept. */
  unkept?: { readonly [part in Part]?: number };
  /** True until its long parts, which a reload left in files, are read. */
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

const isNamed = fields({ id: text(200) });
const isPart = fields({ id: text(200), part: oneOf(parts) });

/** What the view asks the extension for. */
export const requests = {
  act: fields({ id: text(200), action: oneOf(runActions) }),
  copy: isPart,
  open: isPart,
  /** Opens a position that the output names. */
  reveal: fields({ id: text(200), location: isLocation }),
  save: isSave,
};
export type Requests = typeof requests;

function isLocation(value: unknown): value is SourceLocation {
  const path = fieldOf(value, 'path');
  const isPosition = (at: unknown): at is number => Number.isSafeInteger(at) && (at as number) > 0;
  const isPlace = fields({ line: isPosition, column: isPosition });
  return isPlace(value) && (path === undefined || (text(4096)(path) && path !== ''));
}

/** Checks for a result to save. `partial` says what is missing from it, in a sentence. */
function isSave(params: unknown): params is { id: string; partial?: string } & SavedContent {
  const [format, partial] = [fieldOf(params, 'format'), fieldOf(params, 'partial')];
  const content = fieldOf(params, format === 'csv' ? 'rows' : 'text');
  const hasContent =
    format === 'csv'
      ? Array.isArray(content) && content.every(Array.isArray)
      : format === 'json' && typeof content === 'string';
  return isNamed(params) && hasContent && (partial === undefined || text(1000)(partial));
}
