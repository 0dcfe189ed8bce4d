import { randomUUID } from 'node:crypto';
import type { Client } from '../../client/client.ts';
import type { ExecuteBody, InteractBody, InteractionResult, Language } from '../../contract/execution.ts';
import { failureKind, failureStatus, isSessionGone } from '../connection/failures.ts';
import { Signal } from '../ui/lifecycle.ts';
import { messageOf, shortId } from '../ui/text.ts';
import { isSuccess, partsOf } from './outcome.ts';
import { orAborted, type RunSession, type SessionSource, Turns } from './run-session.ts';
import type { Run, RunStore } from './run-store.ts';
import { codeToSend, type Place, type Snippet, TypeScriptError } from './snippet.ts';

/** What is to run. */
export interface RunRequest {
  snippet: Snippet;
  /** VS Code's id of the document's language. */
  languageId: string;
  language: Language;
  /** Seconds. */
  timeout: number;
  /** URI of the document, for the marks in it. */
  document?: string;
  /** The text is a task in words for the agent of a scrape's page, not code. */
  isPrompt?: true;
}

type RunClient = Pick<Client, 'executeInBrowserSession' | 'interactWithScrape'>;

export interface RunsOptions {
  store: RunStore;
  sessions: SessionSource;
  /** The target's client, and whether the target tells of runs by events. */
  access(): Promise<{ client: RunClient; embedded?: unknown }>;
  /** Tells the person that a session was replaced. */
  onReplaced(ended: RunSession, fresh: RunSession): void;
  /** Something failed before or beside the code; it is in the run too. */
  onFailure(error: unknown): void;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that never jump. */
  monotonic(): number;
}

/** How a run ended. */
export interface RunEnd {
  run: Run;
  /** Where in the code an error was found before it was sent, 0-based. */
  place?: Place;
}

/** Runs code in sessions: several sessions at once, the runs of one session in order. */
export class Runs {
  readonly store: RunStore;
  /** A session has begun or ended to be busy. */
  readonly onBusyChanged = new Signal<string>();
  #options: RunsOptions;
  #turns = new Turns();
  #aborts = new Map<string, AbortController>();
  #requests = new Map<string, RunRequest>();

  constructor(options: RunsOptions) {
    this.#options = options;
    this.store = options.store;
    this.store.onChange.on((change) => {
      if (change.kind === 'removed') this.#requests.delete(change.run.id);
      if (change.kind === 'changed' && change.run.sessionId) this.onBusyChanged.fire(change.run.sessionId);
      if (change.kind === 'replaced') this.#forgetUnlisted();
    });
  }

  /** What a run of this window ran, as long as it is listed. */
  requestOf(runId: string): RunRequest | undefined {
    return this.#requests.get(runId);
  }

  /** Runs code in the current session. Never rejects: what goes wrong is in the run. `onBegin` is told its id before anything happens. */
  async run(request: RunRequest, onBegin?: (runId: string) => void): Promise<RunEnd> {
    const run = this.#begin(request);
    onBegin?.(run.id);
    const abort = new AbortController();
    this.#aborts.set(run.id, abort);
    const end: RunEnd = { run };
    try {
      const body = await checkedBody(request);
      const session = await orAborted(this.#options.sessions.ensure(), abort.signal);
      await this.#runIn(run, session, body, abort.signal);
    } catch (error) {
      if (error instanceof TypeScriptError) end.place = error.place;
      this.#fail(run, error, abort.signal);
    } finally {
      this.#aborts.delete(run.id);
      if (run.sessionId) this.#options.sessions.ranIn(run.sessionId);
    }
    return end;
  }

  /** Stops a run; it is marked as stopped at once. */
  stop(runId: string): void {
    this.#aborts.get(runId)?.abort();
  }

  isBusy(sessionId: string): boolean {
    return this.store.isBusy(sessionId);
  }

  stopAll(sessionId: string): void {
    for (const run of this.store.running) if (run.sessionId === sessionId) this.stop(run.id);
  }

  #forgetUnlisted(): void {
    for (const id of this.#requests.keys()) if (!this.store.find(id)) this.#requests.delete(id);
  }

  #begin(request: RunRequest): Run {
    const { snippet, document, language } = request;
    const run: Run = {
      id: randomUUID(),
      sessionId: '',
      sessionName: '',
      title: snippet.title,
      language,
      document,
      line: snippet.start.line,
      state: 'running',
      phase: 'getting a session',
      startedAt: this.#options.now(),
      repeatable: true,
    };
    this.#requests.set(run.id, request);
    this.store.add(run);
    return run;
  }

  async #runIn(run: Run, session: RunSession, body: RunBody, signal: AbortSignal, isRepeat = false): Promise<void> {
    this.#enter(run, session, this.#turns.isTaken(session.id) ? 'waiting for the run before it' : undefined);
    const gone = await this.#turns.take(session.id, signal, () => this.#execute(run, session, body, signal, isRepeat));
    if (!gone) return;
    this.store.update(run.id, { phase: 'getting a new session' });
    const fresh = await orAborted(this.#options.sessions.replace(session.id), signal);
    this.#options.onReplaced(session, fresh);
    this.store.update(run.id, { notice: `Session ${session.shortId} had ended; this ran in a new one.` });
    await this.#runIn(run, fresh, body, signal, true);
  }

  /** True when the session was gone before the code ran, so that it may run in another one. */
  async #execute(
    run: Run,
    session: RunSession,
    body: RunBody,
    signal: AbortSignal,
    isRepeat: boolean,
  ): Promise<boolean> {
    this.store.update(run.id, { phase: undefined });
    const { client, embedded } = await orAborted(this.#options.access(), signal);
    const { runIdHeader } = await import('../../contract/embedded.ts');
    const begun = this.#options.monotonic();
    const durationMs = () => Math.round(this.#options.monotonic() - begun);
    try {
      const how = { signal, ...(embedded !== undefined && { headers: { [runIdHeader]: run.id } }) };
      const answer = await send(client, session, body, how);
      if (session.jobId !== undefined && answer.sessionId) {
        this.#options.sessions.begun(session.jobId, answer.sessionId);
        this.#enter(run, { ...session, id: answer.sessionId, shortId: shortId(answer.sessionId) }, undefined);
      }
      this.#succeed(run, answer, durationMs());
      return false;
    } catch (error) {
      if (signal.aborted) {
        const notice = embedded
          ? undefined
          : `The server was not told to stop: the code may run on until its timeout of ${body.timeout} s.`;
        this.store.update(run.id, { state: 'cancelled', durationMs: durationMs(), phase: undefined, notice });
        return false;
      }
      // What has shown signs of life did run, and is never repeated.
      if (isSessionGone(error) && !isRepeat && !run.stdout && !run.stderr) return true;
      throw error;
    }
  }

  #enter(run: Run, session: RunSession, phase: string | undefined): void {
    const sessionName = [session.shortId, session.name].filter(Boolean).join(' ');
    this.store.update(run.id, { sessionId: session.id, sessionName, phase });
  }

  #succeed(run: Run, answer: InteractionResult, durationMs: number): void {
    const state = isSuccess(answer) ? 'ok' : 'failed';
    const parts = { result: undefined, stdout: undefined, stderr: undefined, error: undefined, ...partsOf(answer) };
    this.store.update(run.id, { ...parts, state, durationMs, phase: undefined });
  }

  #fail(run: Run, error: unknown, signal: AbortSignal): void {
    if (signal.aborted || failureKind(error) === 'cancelled') {
      this.store.update(run.id, { state: 'cancelled', phase: undefined });
      return;
    }
    const tryAgain = failureStatus(error) === 503;
    this.store.update(run.id, { state: 'failed', phase: undefined, error: messageOf(error), tryAgain });
    this.#options.onFailure(error);
  }
}

type RunBody = { prompt: string; timeout: number } | ExecuteBody;

async function send(
  client: RunClient,
  { id, jobId }: RunSession,
  body: RunBody,
  how: { signal: AbortSignal },
): Promise<InteractionResult> {
  if (jobId !== undefined) return await client.interactWithScrape({ params: { jobId }, body }, how);
  if ('prompt' in body)
    throw new Error('A prompt needs the page of a scrape: choose one with "Interact with Scrape…".');
  return await client.executeInBrowserSession({ params: { sessionId: id }, body }, how);
}

/** The body to send, held against the contract before a session is made for it. */
async function checkedBody(request: RunRequest): Promise<RunBody> {
  const [{ executeBody, interactBody }, { describeIssues }] = await Promise.all([
    import('../../contract/execution.ts'),
    import('../../contract/errors.ts'),
  ]);
  const { snippet, languageId, language, timeout } = request;
  const body: Partial<InteractBody> = request.isPrompt
    ? { prompt: snippet.text, timeout }
    : { code: codeToSend(snippet.text, languageId), language, timeout };
  const checked = (request.isPrompt ? interactBody : executeBody).safeParse(body);
  if (!checked.success) throw new Error(describeIssues(checked.error.issues));
  return body as RunBody;
}
