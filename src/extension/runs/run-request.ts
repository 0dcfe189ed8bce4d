import { randomUUID } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import type { Client } from '../../client/client.ts';
import type { Place } from '../../contract/embedded.ts';
import type { ExecuteBody, InteractBody, InteractionResult, Language } from '../../contract/sessions/execution.ts';
import { codeToSend, type Snippet, SnippetError } from './editor/snippet.ts';
import { fileNameOf } from './results/source-names.ts';
import { serverTimeout } from './run-limit.ts';
import type { Run } from './run-store.ts';
import type { RunSession } from './session/target-sessions.ts';

/** A request to run code or a prompt. */
export interface RunRequest {
  snippet: Snippet;
  /** VS Code language identifier of the document. */
  languageId: string;
  language: Language;
  /** In seconds; null for no limit. Servers elsewhere have a limit of their own. */
  timeout: number | null;
  /** URI of the document in which the result is shown. */
  document?: string;
  /** Code of an agent or a chat, which sets its own limits: no setting changes them. */
  byAgent?: true;
  /** The text is a prompt for the agent of a scrape's page, not code. */
  isPrompt?: true;
}

export type RunClient = Pick<Client, 'executeInBrowserSession' | 'interactWithScrape'>;

/** Returns a run that has no session yet. */
export function newRun({ snippet, document, language, isPrompt }: RunRequest, startedAt: number): Run {
  return {
    id: randomUUID(),
    sessionId: '',
    sessionName: '',
    title: snippet.title,
    language,
    document,
    file: fileNameOf(document),
    line: snippet.start.line,
    start: snippet.start,
    ...(document === undefined && !isPrompt && { code: snippet.text }),
    state: 'running',
    phase: l10n.t('getting a session'),
    startedAt,
    repeatable: true,
  };
}

/** What is sent to a server to run a request. */
export type RunBody = { prompt: string; timeout: number } | ExecuteBody;

/** Runs it in a session, or on the page of its scrape. */
export async function sendRun(
  client: RunClient,
  { id, jobId }: RunSession,
  body: RunBody,
  callOptions: { signal: AbortSignal },
): Promise<InteractionResult> {
  if (jobId !== undefined) return await client.interactWithScrape({ params: { jobId }, body }, callOptions);
  if ('prompt' in body)
    throw new Error(l10n.t('A prompt needs the page of a scrape. Select one with "Interact with Scrape…".'));
  return await client.executeInBrowserSession({ params: { sessionId: id }, body }, callOptions);
}

/** Returns the request's body, validated before a session is created for it. */
export async function runBody(request: RunRequest): Promise<RunBody> {
  const [{ executeBody, interactBody }, { describeIssues }] = await Promise.all([
    import('../../contract/sessions/execution.ts'),
    import('../../contract/errors.ts'),
  ]);
  const { snippet, languageId, language, timeout } = request;
  if (!request.isPrompt && snippet.text.trim() === '')
    throw new SnippetError(l10n.t('There is nothing to run: {0} is empty.', snippet.title), undefined);
  const body: Partial<InteractBody> = request.isPrompt
    ? { prompt: snippet.text, timeout: serverTimeout(timeout) }
    : { code: codeToSend(snippet.text, languageId), language, timeout: serverTimeout(timeout) };
  const parsed = (request.isPrompt ? interactBody : executeBody).safeParse(body);
  if (!parsed.success) throw new Error(describeIssues(parsed.error.issues));
  return body as RunBody;
}

/** Returns the headers for the embedded service: the ID of the run, its limit, and where its code is from. */
export async function runHeaders(
  runId: string,
  timeout: number | null | undefined,
  placing: Promise<Place | undefined> | undefined,
): Promise<Record<string, string>> {
  const [{ encodePlace, placeHeader, runIdHeader }, { encodeRunLimit, runLimitHeader }, place] = await Promise.all([
    import('../../contract/embedded.ts'),
    import('../../contract/sessions/execution.ts'),
    placing,
  ]);
  return {
    [runIdHeader]: runId,
    [runLimitHeader]: encodeRunLimit(timeout ?? Number.POSITIVE_INFINITY),
    ...(place && { [placeHeader]: encodePlace(place) }),
  };
}

/** Returns the run request for a prompt. `timeout` limits the whole agent run, in seconds. */
export function promptRequest(text: string, timeout: number): RunRequest {
  const start = { line: 0, character: 0 };
  return {
    snippet: { text, start, lastLine: 0, title: `“${text.replaceAll(/\s+/g, ' ').trim()}”` },
    languageId: 'plaintext',
    language: 'node',
    timeout,
    isPrompt: true,
  };
}
