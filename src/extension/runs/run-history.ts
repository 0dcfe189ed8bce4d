import type { Run } from './run-store.ts';

const mostStored = 30;
/** Characters of a part that are kept over a reload; longer ones are left out, not cut. */
const partLimit = 2_000;
const states = ['ok', 'failed', 'cancelled'] as const;

/** What is kept of the runs over a reload of the window: what they were and their small results. */
export function toHistory(runs: readonly Run[]): unknown[] {
  return runs
    .filter((run) => run.state !== 'running')
    .slice(0, mostStored)
    .map((run) => ({
      ...run,
      phase: undefined,
      repeatable: false,
      result: small(run.result),
      stdout: small(run.stdout),
      stderr: small(run.stderr),
      error: small(run.error) ?? (run.error && `${run.error.slice(0, partLimit)}…`),
    }));
}

function small(text: string | undefined): string | undefined {
  return text !== undefined && text.length <= partLimit ? text : undefined;
}

/** The runs in a stored history; what is not one (another version's, damaged) is left out. */
export function fromHistory(stored: unknown): Run[] {
  if (!Array.isArray(stored)) return [];
  return stored.slice(0, mostStored).flatMap((entry) => readRun(entry) ?? []);
}

function readRun(entry: unknown): Run | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const record = entry as Record<string, unknown>;
  const text = (name: string) => (typeof record[name] === 'string' ? (record[name] as string) : undefined);
  const number = (name: string) => (Number.isFinite(record[name]) ? (record[name] as number) : undefined);
  const state = states.find((known) => known === record.state);
  const [id, title, startedAt] = [text('id'), text('title'), number('startedAt')];
  if (!id || !title || startedAt === undefined || !state) return undefined;
  return {
    id,
    title,
    startedAt,
    state,
    sessionId: text('sessionId') ?? '',
    sessionName: text('sessionName') ?? '',
    language: text('language') ?? 'node',
    document: text('document'),
    line: number('line'),
    durationMs: number('durationMs'),
    notice: text('notice'),
    repeatable: false,
    result: text('result'),
    stdout: text('stdout'),
    stderr: text('stderr'),
    error: text('error'),
    ...(record.truncated === true && { truncated: true }),
  };
}
