import * as l10n from '@vscode/l10n';
import type { RunEvent } from '../../contract/embedded.ts';
import type { CutPart } from '../../contract/sessions/execution.ts';
import type { Part, ShownRun } from '../../webviews/run-results/messages.ts';
import type { Remedy } from '../connection/remedies/remedies.ts';
import { Signal } from '../ui/lifecycle.ts';
import type { Position } from './editor/snippet.ts';
import type { RunParts } from './results/outcome.ts';
import { withSourceNames } from './results/source-names.ts';

/** A run of this window. */
export interface Run extends RunParts, Omit<ShownRun, 'session' | 'headline' | 'sizes' | 'can'> {
  /** The name of its session when the run ended, which is mostly the page it ended on; empty until then. */
  sessionName: string;
  readonly language: string;
  /** The code, if it is in no document: an agent's. */
  code?: string;
  /** URI of the document that the code is from. */
  readonly document?: string;
  /** First line of the code, 0-based. */
  readonly line?: number;
  /** Start of the code in its document. */
  readonly start?: Position;
  /** Position of the error in the code that was sent. */
  errorAt?: Position;
  /** The button that runs it again, when the reason of the failure may have gone, such as an unfinished install. */
  again?: string;
  /** What gets what the run lacked. */
  remedy?: Remedy;
  /** Whether the service goes on with it, and keeps its outcome, if this window reloads. */
  kept?: boolean;
  /** True while the code is in memory and can be run again. */
  readonly repeatable: boolean;
}

export type RunChange =
  | { kind: 'added' | 'changed' | 'removed'; run: Run }
  /** The long parts of a run from before the last reload were read. */
  | { kind: 'read'; run: Run }
  | { kind: 'output'; run: Run; stream: 'stdout' | 'stderr'; text: string }
  | { kind: 'replaced' };

export const maxRuns = 50;
/** Maximum characters of a stream kept during a run. The response has a similar limit, in bytes. */
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
    const oldest = this.#runs.findLast((old) => old.state !== 'running');
    if (this.#runs.length > maxRuns && oldest) this.remove(oldest.id);
  }

  /** Updates a run. Ignored if the run has finished. */
  update(id: string, change: Partial<Omit<Run, 'id'>>): void {
    const run = this.find(id);
    if (run?.state === 'running') this.#set(run, change);
  }

  /** Sets the name that the session of a run has after it. */
  nameSession(id: string, sessionName: string): void {
    const run = this.find(id);
    if (run && run.sessionName !== sessionName) this.#set(run, { sessionName });
  }

  /** Sets the code of a run, finished or not. */
  setCode(id: string, code: string, notice: string): void {
    const run = this.find(id);
    if (run) this.#set(run, { code, notice });
  }

  /** Replaces a result that was cut with all of it. */
  setWhole(id: string, result: string): void {
    const run = this.find(id);
    if (!run) return;
    const sizes = run.sizes && {
      ...run.sizes,
      result: Buffer.byteLength(result),
      kept: run.sizes.kept?.filter((part) => part !== 'result'),
    };
    // Its streams may have been cut too.
    const unkept = { ...run.unkept, result: undefined };
    this.#set(run, { result: withSourceNames(result, run.language, run), sizes, unkept });
  }

  /** Notes that the service no longer has all of a part that was cut. */
  loseWhole(id: string, part: CutPart): void {
    const run = this.find(id);
    if (!run?.sizes) return;
    const kept = run.sizes.kept?.filter((other) => other !== part);
    const bytes = Math.max(run.sizes[part], run.unkept?.[part] ?? 0);
    this.#set(run, { sizes: { ...run.sizes, kept }, unkept: { ...run.unkept, [part]: bytes } });
  }

  /** Replaces the beginnings of parts with what was kept of them. */
  setKept(id: string, kept: { [part in Part]?: string }): void {
    const run = this.find(id);
    if (!run?.unread) return;
    run.unread = undefined;
    const unkept = { ...run.unkept };
    for (const [part, bytes] of Object.entries(unkept) as [Part, number | undefined][]) {
      const text = kept[part];
      if (bytes === undefined || text === undefined || text.length <= (run[part]?.length ?? 0)) continue;
      run[part] = text;
      if (Buffer.byteLength(text) >= bytes) unkept[part] = undefined;
    }
    run.unkept = unkept;
    this.onChange.fire({ kind: 'read', run });
  }

  remove(id: string): void {
    const run = this.find(id);
    if (!run) return;
    this.#runs = this.#runs.filter((other) => other !== run);
    this.onChange.fire({ kind: 'removed', run });
  }

  /** Removes finished runs. */
  clear(): void {
    this.#runs = this.#runs.filter((run) => run.state === 'running');
    this.onChange.fire({ kind: 'replaced' });
  }

  /** Adds runs from before the last reload, after those of this window. */
  restore(runs: readonly Run[]): void {
    this.#runs = [...this.#runs, ...runs].slice(0, maxRuns);
    this.onChange.fire({ kind: 'replaced' });
  }

  /** Applies a run event of the service. */
  apply(event: RunEvent): void {
    const run = this.find(event.runId);
    if (run?.state !== 'running') return;
    if (event.kind === 'output') this.#append(run, event.stream, event.text);
    else if (event.kind === 'queued') this.update(run.id, { phase: l10n.t('waiting for the previous run') });
    else if (event.kind === 'started') this.update(run.id, { phase: undefined });
    else if (event.kind === 'notice') this.update(run.id, { notice: event.text });
  }

  #set(run: Run, change: Partial<Run>): void {
    Object.assign(run, change);
    this.onChange.fire({ kind: 'changed', run });
  }

  #append(run: Run, stream: 'stdout' | 'stderr', text: string): void {
    const before = run[stream] ?? '';
    const named = withSourceNames(text, run.language, run);
    const kept = named.slice(0, Math.max(0, streamLimit - before.length));
    if (!kept) return;
    run[stream] = before + kept;
    this.onChange.fire({ kind: 'output', run, stream, text: kept });
  }
}
