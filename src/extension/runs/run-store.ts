import type { RunEvent } from '../../contract/embedded.ts';
import { Signal } from '../ui/lifecycle.ts';
import type { RunParts, RunState } from './outcome.ts';

/** One run, as this window knows it. */
export interface Run extends RunParts {
  readonly id: string;
  /** Empty until there is a session for it. */
  sessionId: string;
  sessionName: string;
  readonly title: string;
  readonly language: string;
  /** URI of the document the code came from. */
  readonly document?: string;
  /** 0-based first line of what ran. */
  readonly line?: number;
  state: RunState;
  /** What it waits for while it is running: "waiting for the run before it". */
  phase?: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  durationMs?: number;
  /** Something the person should know about it. */
  notice?: string;
  /** True when it failed only because something was not there yet, such as an install that goes on. */
  tryAgain?: boolean;
  /** True while the code is in memory, so that it can be run again. */
  readonly repeatable: boolean;
}

export type RunChange =
  | { kind: 'added' | 'changed' | 'removed'; run: Run }
  | { kind: 'output'; run: Run; stream: 'stdout' | 'stderr'; text: string }
  | { kind: 'replaced' };

export const mostRuns = 50;
/** Characters kept of a stream while it runs; the answer's own limit is in bytes and about the same. */
const streamLimit = 1024 * 1024;

/** The runs of this window, newest first. */
export class RunStore {
  readonly onChange = new Signal<RunChange>();
  #runs: Run[] = [];

  get runs(): readonly Run[] {
    return this.#runs;
  }

  get running(): readonly Run[] {
    return this.#runs.filter((run) => run.state === 'running');
  }

  find(id: string): Run | undefined {
    return this.#runs.find((run) => run.id === id);
  }

  isBusy(sessionId: string): boolean {
    return this.#runs.some((run) => run.sessionId === sessionId && run.state === 'running');
  }

  add(run: Run): void {
    this.#runs.unshift(run);
    this.onChange.fire({ kind: 'added', run });
    const ended = this.#runs.findLast((old) => old.state !== 'running');
    if (this.#runs.length > mostRuns && ended) this.remove(ended.id);
  }

  /** Changes a run that still goes on; what comes after its end is ignored. */
  update(id: string, change: Partial<Omit<Run, 'id'>>): void {
    const run = this.find(id);
    if (run?.state !== 'running') return;
    Object.assign(run, change);
    this.onChange.fire({ kind: 'changed', run });
  }

  /** Adds to a run after its end, for what is known only then. */
  note(id: string, notice: string): void {
    const run = this.find(id);
    if (!run) return;
    run.notice = notice;
    this.onChange.fire({ kind: 'changed', run });
  }

  remove(id: string): void {
    const run = this.find(id);
    if (!run) return;
    this.#runs = this.#runs.filter((other) => other !== run);
    this.onChange.fire({ kind: 'removed', run });
  }

  /** Forgets the runs that have ended. */
  clear(): void {
    this.#runs = this.#runs.filter((run) => run.state === 'running');
    this.onChange.fire({ kind: 'replaced' });
  }

  /** Puts runs of an earlier life of the window behind those of this one. */
  restore(runs: readonly Run[]): void {
    this.#runs = [...this.#runs, ...runs].slice(0, mostRuns);
    this.onChange.fire({ kind: 'replaced' });
  }

  /** Takes in what the service tells of a run. */
  apply(event: RunEvent): void {
    const run = this.find(event.runId);
    if (run?.state !== 'running') return;
    if (event.kind === 'output') this.#append(run, event.stream, event.text);
    else if (event.kind === 'queued') this.update(run.id, { phase: 'waiting for the run before it' });
    else if (event.kind === 'started') this.update(run.id, { phase: undefined });
    else if (event.kind === 'notice') this.update(run.id, { notice: event.text });
  }

  #append(run: Run, stream: 'stdout' | 'stderr', text: string): void {
    const before = run[stream] ?? '';
    const kept = text.slice(0, Math.max(0, streamLimit - before.length));
    if (!kept) return;
    run[stream] = before + kept;
    this.onChange.fire({ kind: 'output', run, stream, text: kept });
  }
}
