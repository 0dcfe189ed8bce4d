import * as l10n from '@vscode/l10n';
import type { EmbeddedClient } from '../../client/client.ts';
import type { Place } from '../../contract/embedded.ts';
import type { InteractionResult } from '../../contract/sessions/execution.ts';
import { failureKind, failureStatus, isSessionGone } from '../connection/failures.ts';
import { remedyOf } from '../connection/remedies/remedies.ts';
import { abortable, Signal } from '../ui/lifecycle.ts';
import { messageOf } from '../ui/text/text.ts';
import { hasOnlyComments, type Position, SnippetError } from './editor/snippet.ts';
import { outcomeOf } from './results/outcome.ts';
import { newRun, type RunBody, type RunClient, type RunRequest, runBody, runHeaders, sendRun } from './run-request.ts';
import type { Run, RunStore } from './run-store.ts';
import { RunQueue } from './session/run-queue.ts';
import type { RunSession, SessionSource } from './session/target-sessions.ts';

type KeptRunClient = Pick<EmbeddedClient, 'awaitRun' | 'stopRun'>;

export interface RunsOptions {
  store: RunStore;
  sessions: SessionSource;
  /** Returns the client of the target. `embedded` is present if the target sends run events. */
  access(): Promise<{ client: RunClient; embedded?: KeptRunClient }>;
  /** Returns access without starting anything; undefined if the embedded service isn't running. */
  existingAccess(): Promise<{ embedded?: KeptRunClient } | undefined>;
  /** Returns where code is from, for a server on this machine. */
  place(request: RunRequest): Promise<Place | undefined>;
  /** Returns whether a run may start that needs a tool which the embedded service would install first. */
  mayInstall(request: RunRequest): Promise<boolean>;
  /** Throws a SnippetError if code can't run on a server elsewhere. */
  checkImports(request: RunRequest, code: string): void;
  /** Called when a session that has ended was replaced. */
  onReplaced(ended: RunSession, replacement: RunSession): void;
  /** Called when something other than the code failed. The run contains the error too. `again` runs the code again. */
  onFailure(error: unknown, again: () => void): void;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a monotonic clock. */
  monotonic(): number;
}

/** A run that has finished. */
export interface FinishedRun {
  run: Run;
  /** Position of the error in the code, if it is known. */
  position?: Position;
  /** Why the code couldn't run, if that isn't its own error. */
  failure?: unknown;
}

/** Runs code in sessions. The runs of one session are queued; sessions run in parallel. */
export class Runs {
  readonly store: RunStore;
  /** Fires when a session may have become busy or idle. */
  readonly onBusyChanged = new Signal<string>();
  /** Fires when the user stops a run that was started elsewhere. */
  readonly onStopElsewhere = new Signal<Run>();
  /** Fires with the id of a run that is to run again, since the user has made that possible. */
  readonly onRunAgain = new Signal<string>();
  #options: RunsOptions;
  #queue = new RunQueue();
  #aborts = new Map<string, AbortController>();
  #requests = new Map<string, RunRequest>();

  constructor(options: RunsOptions) {
    this.#options = options;
    this.store = options.store;
    this.store.onChange.on((change) => {
      if (change.kind === 'changed' && change.run.sessionId) this.onBusyChanged.fire(change.run.sessionId);
      if (change.kind === 'removed' || change.kind === 'replaced')
        for (const id of this.#requests.keys()) if (!this.store.find(id)) this.#requests.delete(id);
    });
  }

  /** Returns the request of a run that is still listed. */
  requestOf(runId: string): RunRequest | undefined {
    return this.#requests.get(runId);
  }

  /** Runs code in the current session. Never rejects: the run contains any error. `onStart` is called with its id first. */
  async run(request: RunRequest, onStart?: (runId: string) => void): Promise<FinishedRun> {
    const run = newRun(request, this.#options.now());
    this.#requests.set(run.id, request);
    this.store.add(run);
    onStart?.(run.id);
    const abort = new AbortController();
    this.#aborts.set(run.id, abort);
    const finished: FinishedRun = { run };
    try {
      if (!request.isPrompt && hasOnlyComments(request.snippet.text, request.language)) {
        const notice = l10n.t('There is nothing to run: {0} has only comments.', run.title);
        this.store.update(run.id, { state: 'ok', phase: undefined, durationMs: 0, notice });
        return finished;
      }
      const body = await runBody(request);
      if ('code' in body) await abortable(this.#checkImports(request, body.code), abort.signal);
      if (!(await abortable(this.#options.mayInstall(request), abort.signal))) {
        abort.abort();
        this.store.update(run.id, {
          notice: l10n.t("Nothing was installed, so the code didn't run. Run it again to be asked again."),
        });
        abort.signal.throwIfAborted();
      }
      let ended: RunSession | undefined;
      const ensured = this.#options.sessions.ensure((session) => {
        ended = session;
        this.#replacing(run, session);
      });
      const session = await abortable(ensured, abort.signal);
      if (ended) this.#replaced(run, ended, session);
      await this.#runIn(run, session, body, abort.signal);
      finished.position = run.errorAt;
    } catch (error) {
      if (error instanceof SnippetError) finished.position = error.position;
      else finished.failure = error;
      this.#fail(run, error, abort.signal);
    } finally {
      this.#aborts.delete(run.id);
      if (run.sessionId) this.#options.sessions.ranIn(run.sessionId);
    }
    return finished;
  }

  /** Lists a run that was started elsewhere, with what runs it again. */
  list(run: Run, request: RunRequest): void {
    this.#requests.set(run.id, request);
    this.store.add(run);
    if (run.state === 'running') this.onBusyChanged.fire(run.sessionId);
  }

  /** Waits for the runs that were going on when this window was reloaded. */
  async resume(): Promise<void> {
    const left = this.store.running.filter(({ kept, id }) => kept && !this.#aborts.has(id));
    await Promise.all(left.map((run) => this.#resume(run)));
  }

  async #resume(run: Run): Promise<void> {
    const abort = new AbortController();
    const { signal } = abort;
    this.#aborts.set(run.id, abort);
    this.store.update(run.id, { phase: undefined });
    const params = { runId: run.id };
    try {
      const embedded = (await this.#options.existingAccess())?.embedded;
      const lost = l10n.t('The window was closed while this ran, and the service that ran it has stopped.');
      if (!embedded) return this.store.update(run.id, { state: 'cancelled', notice: lost });
      signal.addEventListener('abort', () => void embedded.stopRun({ params, body: {} }).catch(() => undefined));
      const result = await embedded.awaitRun({ params }, { signal, timeoutMs: Number.POSITIVE_INFINITY });
      this.#complete(run, result, this.#options.now() - run.startedAt);
    } catch (error) {
      if (failureStatus(error) !== 404) return this.#fail(run, error, signal);
      const notice = l10n.t('The window was closed while this ran, and its result is no longer kept.');
      this.store.update(run.id, { state: 'cancelled', notice });
    } finally {
      this.#aborts.delete(run.id);
    }
  }

  /** Ends such a run. */
  complete(runId: string, result: InteractionResult, durationMs: number): void {
    const run = this.store.find(runId);
    if (run) this.#complete(run, result, durationMs);
  }

  /** Replaces the code of such a run, and what is said about it. */
  setCode(runId: string, code: string, notice: string): void {
    const request = this.#requests.get(runId);
    if (request) this.#requests.set(runId, { ...request, snippet: { ...request.snippet, text: code } });
    this.store.setCode(runId, code, notice);
  }

  /** Stops a run. Its state changes immediately. */
  stop(runId: string): void {
    const abort = this.#aborts.get(runId);
    const run = this.store.find(runId);
    if (abort) abort.abort();
    else if (run?.state === 'running') this.onStopElsewhere.fire(run);
  }

  isBusy(sessionId: string): boolean {
    return this.store.isBusy(sessionId);
  }

  stopAll(sessionId: string): void {
    for (const run of this.store.running) if (run.sessionId === sessionId) this.stop(run.id);
  }

  /** Fails before a session is created if the target can't read files that the code imports. */
  async #checkImports(request: RunRequest, code: string): Promise<void> {
    const { embedded } = await this.#options.access();
    if (!embedded) this.#options.checkImports(request, code);
  }

  async #headers(run: Run, body: RunBody): Promise<Record<string, string>> {
    const request = this.#requests.get(run.id);
    const place = request && 'code' in body ? this.#options.place(request) : undefined;
    return await runHeaders(run.id, request?.timeout, place);
  }

  async #runIn(run: Run, session: RunSession, body: RunBody, signal: AbortSignal, isRetry = false): Promise<void> {
    const phase = this.#queue.isBusy(session.id) ? l10n.t('waiting for the previous run') : undefined;
    this.store.update(run.id, { sessionId: session.id, phase });
    const gone = await this.#queue.run(session.id, signal, () => this.#execute(run, session, body, signal, isRetry));
    if (!gone) return;
    this.#replacing(run, session);
    const replacement = await abortable(this.#options.sessions.replace(session.id), signal);
    this.#replaced(run, session, replacement);
    await this.#runIn(run, replacement, body, signal, true);
  }

  /** Shows that the session of a run has ended, while another is created. */
  #replacing(run: Run, ended: RunSession): void {
    this.store.update(run.id, { phase: l10n.t('session {0} has ended: getting a new session', ended.shortId) });
  }

  /** Shows that a run gets a new session, before its code is sent. */
  #replaced(run: Run, ended: RunSession, replacement: RunSession): void {
    this.#options.onReplaced(ended, replacement);
    const notice = l10n.t(
      'Session {0} has ended. This run uses the new session {1}, without the pages and variables of the old one.',
      ended.shortId,
      replacement.shortId,
    );
    this.store.update(run.id, { notice });
  }

  /** Returns true if the session had ended before the code ran, so that the code can run in another session. */
  async #execute(
    run: Run,
    session: RunSession,
    body: RunBody,
    signal: AbortSignal,
    isRetry: boolean,
  ): Promise<boolean> {
    this.store.update(run.id, { phase: undefined });
    const { client, embedded } = await abortable(this.#options.access(), signal);
    const headers = embedded === undefined ? undefined : await abortable(this.#headers(run, body), signal);
    const startedAt = this.#options.monotonic();
    const durationMs = () => Math.round(this.#options.monotonic() - startedAt);
    const stop = () => void embedded?.stopRun({ params: { runId: run.id }, body: {} }).catch(() => undefined);
    try {
      if (embedded) this.store.update(run.id, { kept: true });
      // The service stops a run only when it is told to: a connection also closes when the window reloads.
      signal.addEventListener('abort', stop, { once: true });
      const callOptions = { signal, ...(headers && { headers, timeoutMs: Number.POSITIVE_INFINITY }) };
      const result = await sendRun(client, session, body, callOptions);
      if (session.jobId !== undefined && result.sessionId) {
        this.#options.sessions.sessionStarted(session.jobId, result.sessionId);
        this.store.update(run.id, { sessionId: result.sessionId, phase: undefined });
      }
      this.#complete(run, result, durationMs());
      return false;
    } catch (error) {
      if (signal.aborted) {
        const notice = embedded
          ? undefined
          : l10n.t("This server can't stop a run. The code may keep running until its timeout of {0} s.", body.timeout);
        this.store.update(run.id, { state: 'cancelled', durationMs: durationMs(), phase: undefined, notice });
        return false;
      }
      // Code that has produced output did run, and is never run twice.
      if (isSessionGone(error) && !isRetry && !run.stdout && !run.stderr) return true;
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #complete(run: Run, result: InteractionResult, durationMs: number): void {
    const outcome = outcomeOf(run, this.#requests.get(run.id), result);
    // Beginnings of the output from before a reload are replaced.
    const read = { unkept: undefined, unread: undefined };
    this.store.update(run.id, { ...outcome, ...read, durationMs, phase: undefined });
  }

  #fail(run: Run, error: unknown, signal: AbortSignal): void {
    if (signal.aborted || failureKind(error) === 'cancelled') {
      this.store.update(run.id, { state: 'cancelled', phase: undefined });
      return;
    }
    const remedy = error instanceof SnippetError ? error.remedy : remedyOf(error);
    const mayWork = failureKind(error) === 'connection' || failureStatus(error) === 503;
    const again = mayWork ? l10n.t('Try again') : undefined;
    const text = remedy?.message ?? messageOf(error, 2000);
    this.store.update(run.id, { state: 'failed', phase: undefined, error: text, again, remedy });
    this.#options.onFailure(error, () => this.onRunAgain.fire(run.id));
  }
}
