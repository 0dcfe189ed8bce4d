import type * as vscode from 'vscode';
import { Disposables } from '../ui/lifecycle.ts';
import type { Run, RunStore } from './run-store.ts';

const storageKey = 'webdata.runs';
const writeDelayMs = 500;
const maxStoredRuns = 30;
/** Maximum characters of a part that survives a reload. Longer parts are omitted, except errors, which are truncated. */
const partLimit = 2_000;
/** Maximum characters of an agent's code that survives a reload. */
const codeLimit = 20_000;
const states = ['ok', 'failed', 'cancelled', 'running'] as const;

/** Restores the runs of this workspace and saves them as they change. */
export function keepHistory(store: RunStore, memento: vscode.Memento): vscode.Disposable {
  const disposables = new Disposables();
  let timer: NodeJS.Timeout | undefined;
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    void memento.update(storageKey, toHistory(store.runs));
  };
  store.restore(fromHistory(memento.get(storageKey)));
  disposables.add(
    store.onChange.on((change) => {
      if (change.kind === 'output') return;
      // The window may close right after a run, or reload during it.
      if (change.kind === 'changed' && (change.run.state !== 'running' || change.run.kept)) write();
      else timer ??= setTimeout(write, writeDelayMs);
    }),
  );
  disposables.add({ dispose: () => timer && write() });
  return disposables;
}

/** Whether runs of this workspace are saved. */
export function hasHistory(memento: vscode.Memento): boolean {
  const stored = memento.get(storageKey);
  return Array.isArray(stored) && stored.length > 0;
}

/** Returns what is saved of the runs: their metadata and small results. */
export function toHistory(runs: readonly Run[]): unknown[] {
  return runs
    .filter((run) => run.state !== 'running' || run.kept)
    .slice(0, maxStoredRuns)
    .map((run) => ({
      ...run,
      phase: undefined,
      repeatable: false,
      code: run.code !== undefined && run.code.length <= codeLimit ? run.code : undefined,
      result: ifSmall(run.result),
      stdout: ifSmall(run.stdout),
      stderr: ifSmall(run.stderr),
      error: ifSmall(run.error) ?? (run.error && `${run.error.slice(0, partLimit)}…`),
    }));
}

function ifSmall(text: string | undefined): string | undefined {
  return text !== undefined && text.length <= partLimit ? text : undefined;
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
  };
}
