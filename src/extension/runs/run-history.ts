import type * as vscode from 'vscode';
import { type Part, parts } from '../../webviews/run-results/messages.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { readSizes } from './results/outcome.ts';
import type { Run, RunStore } from './run-store.ts';
import { storedRunsKey } from './stored-runs.ts';

const writeDelayMs = 500;
const maxStoredRuns = 30;
/** Maximum characters of a part that is saved with its run. Of longer parts this is the beginning. */
const partLimit = 2_000;
/** Maximum characters of an agent's code that survives a reload. */
const codeLimit = 20_000;
const states = ['ok', 'failed', 'cancelled', 'running'] as const;

/** What is kept of long parts: characters of a part, and bytes in all. */
export const limits = { part: 1024 * 1024, all: 20_000_000 };

/** The long parts of runs, in files. */
export interface LongParts {
  /** Saves the long parts of these runs, newest first, and forgets all others. Failures are logged. */
  save(runs: readonly Run[]): void;
  /** Returns what is kept of a run; nothing if it is lost or damaged. */
  read(id: string): Promise<{ [part in Part]?: string }>;
  /** Resolves when everything so far is saved. */
  idle(): Promise<void>;
}

/**
 * Restores the runs of this workspace and saves them as they change.
 * @param long without it, only the beginnings of long parts survive a reload
 * @returns `readLong` reads the long parts of the restored runs, once
 */
export function keepHistory(
  store: RunStore,
  memento: vscode.Memento,
  long?: LongParts,
): vscode.Disposable & { readLong(): Promise<void> } {
  const disposables = new Disposables();
  let timer: NodeJS.Timeout | undefined;
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    void memento.update(storedRunsKey, toHistory(store.runs));
    long?.save(store.runs.slice(0, maxStoredRuns));
  };
  const restored = fromHistory(memento.get(storedRunsKey));
  store.restore(long ? restored : restored.map((run) => ({ ...run, unread: undefined })));
  disposables.add(
    store.onChange.on((change) => {
      if (change.kind === 'output' || change.kind === 'read') return;
      // The window may close right after a run, or reload during it.
      if (change.kind === 'changed' && (change.run.state !== 'running' || change.run.kept)) write();
      else timer ??= setTimeout(write, writeDelayMs);
    }),
  );
  disposables.add({ dispose: () => timer && write() });
  return {
    async readLong() {
      for (const { id, unread } of [...store.runs]) if (unread && long) store.setKept(id, await long.read(id));
    },
    dispose: () => disposables.dispose(),
  };
}

/** Returns what is saved of the runs: their metadata, and the beginnings and sizes of long parts. */
export function toHistory(runs: readonly Run[]): unknown[] {
  return runs
    .filter((run) => run.state !== 'running' || run.kept)
    .slice(0, maxStoredRuns)
    .map((run) => {
      const long = parts.filter((part) => isLong(run[part]));
      const shown = long.map((part) => [part, run[part]?.slice(0, partLimit)]);
      const bytes = long.map((part) => [part, Math.max(Buffer.byteLength(run[part] ?? ''), run.unkept?.[part] ?? 0)]);
      return {
        ...run,
        phase: undefined,
        repeatable: false,
        code: run.code !== undefined && run.code.length <= codeLimit ? run.code : undefined,
        ...Object.fromEntries(shown),
        unkept: { ...run.unkept, ...Object.fromEntries(bytes) },
        sizes: sizesOf(run),
      };
    });
}

/** A result that was got whole from the service, and of which only the beginning is kept, can be got from there again. */
function sizesOf({ sizes, result }: Run): Run['sizes'] {
  if (!sizes || (result?.length ?? 0) <= limits.part || sizes.kept?.includes('result')) return sizes;
  return { ...sizes, kept: [...(sizes.kept ?? []), 'result'] };
}

/** Whether a part is longer than what is saved with its run. */
export function isLong(text: unknown): text is string {
  return typeof text === 'string' && text.length > partLimit;
}

/** Returns the runs of a saved history. Skips entries that are damaged or from another version. */
export function fromHistory(stored: unknown): Run[] {
  if (!Array.isArray(stored)) return [];
  return stored.slice(0, maxStoredRuns).flatMap((entry) => readRun(entry) ?? []);
}

function readRun(entry: unknown): Run | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const record = entry as Record<string, unknown>;
  const text = (name: string) => (typeof record[name] === 'string' ? (record[name] as string) : undefined);
  const number = (name: string) => (Number.isFinite(record[name]) ? (record[name] as number) : undefined);
  const state = states.find((known) => known === record.state);
  const [id, title, startedAt] = [text('id'), text('title'), number('startedAt')];
  if (!id || !title || startedAt === undefined || !state) return undefined;
  const kept = record.kept === true;
  if (state === 'running' && !kept) return undefined;
  const unkept = readUnkept(record.unkept);
  const sizes = readSizes(record.sizes);
  return {
    id,
    title,
    startedAt,
    state,
    sessionId: text('sessionId') ?? '',
    sessionName: text('sessionName') ?? '',
    language: text('language') ?? 'node',
    code: text('code'),
    document: text('document'),
    file: text('file'),
    line: number('line'),
    durationMs: number('durationMs'),
    notice: text('notice'),
    repeatable: false,
    ...(kept && { kept }),
    result: text('result'),
    stdout: text('stdout'),
    stderr: text('stderr'),
    error: text('error'),
    ...(record.truncated === true && { truncated: true }),
    ...(sizes && { sizes }),
    ...(unkept && { unkept, unread: true }),
  };
}

function readUnkept(stored: unknown): Run['unkept'] {
  if (typeof stored !== 'object' || stored === null) return undefined;
  const record = stored as Record<string, unknown>;
  const known = parts.filter((part) => Number.isSafeInteger(record[part]));
  return known.length === 0 ? undefined : Object.fromEntries(known.map((part) => [part, record[part]]));
}
