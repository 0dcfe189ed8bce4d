import * as l10n from '@vscode/l10n';
import type { AgentRun } from '../../contract/mcp/agent-sessions.ts';
import type { ExecutionResult, Language } from '../../contract/sessions/execution.ts';
import type { AgentSessions } from '../connection/agent-sessions.ts';
import { languageIds } from '../ui/ids.ts';
import { type Disposable, Disposables, type Signal } from '../ui/lifecycle.ts';
import { label } from '../ui/text/text.ts';
import { wholeFile } from './editor/snippet.ts';
import type { RunRequest } from './run-request.ts';
import type { Run } from './run-store.ts';
import type { Runs } from './runs.ts';

/** How long what an agent does on pages is awaited before it is read again, in milliseconds. */
const readAfterMs = 1_000;
/** Seconds for which code of an agent may run when a person runs it again. */
const timeout = 300;

export interface AgentRunsParts {
  runs: Runs;
  agents: Pick<AgentSessions, 'sessions' | 'snippet' | 'onChange'>;
  onAgentRun: Signal<AgentRun>;
  onServiceStopped: { on(listener: () => void): Disposable };
  sessionName(sessionId: string): string | undefined;
  /** Stops the code of a language in a session. */
  stop(sessionId: string, language: Language): Promise<unknown>;
  onFailure(error: unknown): void;
  now(): number;
}

/** Lists what agents run, and what they do on pages, among the runs of this window: as code to open and to run again. */
export function listAgentRuns(parts: AgentRunsParts): Disposable {
  const { runs, agents, now } = parts;
  const { store } = runs;
  const disposables = new Disposables();
  const started = new Map<string, number>();
  /** How many actions of a session are in its script here. */
  const read = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  function add(run: Pick<Run, 'id' | 'sessionId' | 'title' | 'language' | 'state'>, code: string): void {
    const { language, title } = run;
    const request: RunRequest = {
      snippet: wholeFile({ name: title, text: code }),
      languageId: languageIds[language as Language] ?? 'javascript',
      language: language as Language,
      timeout,
      byAgent: true,
    };
    const sessionName = (run.state !== 'running' && parts.sessionName(run.sessionId)) || '';
    runs.list({ ...run, sessionName, startedAt: now(), repeatable: true, code }, request);
  }

  function show({ runId, sessionId, agent, language, code, result }: AgentRun): void {
    if (!store.find(runId)) {
      started.set(runId, now());
      const firstLine = code.split('\n').find((line) => line.trim() !== '') ?? '';
      const title = `${label(agent, 40)}: ${label(firstLine, 40)}`;
      add({ id: runId, sessionId, title, language, state: 'running' }, code);
    }
    if (!result) return;
    runs.complete(runId, result as ExecutionResult, now() - (started.get(runId) ?? now()));
    started.delete(runId);
  }

  async function readPages(): Promise<void> {
    timer = undefined;
    for (const { sessionId, agent, actions } of agents.sessions) {
      if (read.get(sessionId) === actions || actions === 0) continue;
      read.set(sessionId, actions);
      // A session may have ended meanwhile.
      const code = await agents.snippet(sessionId).catch(() => undefined);
      if (code === undefined || !code.includes('\n// %% Page\n')) continue;
      const id = `pages ${sessionId}`;
      if (!store.find(id)) {
        const title = l10n.t('{0}: actions on pages', label(agent, 40));
        add({ id, sessionId, title, language: 'node', state: 'ok' }, code);
      }
      runs.setCode(id, code, l10n.t('{0} actions', actions));
    }
  }

  disposables.add(parts.onAgentRun.on(show));
  disposables.add(
    agents.onChange.on(() => {
      if (agents.sessions.some(({ sessionId, actions }) => read.get(sessionId) !== actions && actions > 0))
        timer ??= setTimeout(() => void readPages(), readAfterMs);
    }),
  );
  disposables.add(
    runs.onStopElsewhere.on(({ id, sessionId, language }) => {
      // The agent is told that its code was stopped, and its result follows.
      if (started.has(id)) parts.stop(sessionId, language as Language).catch(parts.onFailure);
    }),
  );
  disposables.add(
    parts.onServiceStopped.on(() => {
      for (const id of started.keys()) store.update(id, { state: 'cancelled' });
      started.clear();
      read.clear();
    }),
  );
  disposables.add({ dispose: () => clearTimeout(timer) });
  return disposables;
}

/**
 * Runs code of VS Code's chat like the user's own code.
 * @param code with its name in Run Results; by default that is its first line
 * @throws the signal's reason, as soon as it aborts: the run is stopped
 */
export async function runForChat(
  runs: Runs,
  code: Pick<RunRequest, 'language'> & { text: string; timeout: number; title?: string },
  signal: AbortSignal,
  onStart: () => void,
): Promise<Run & { failure?: unknown }> {
  const { text, language, timeout, title } = code;
  signal.throwIfAborted();
  const first = text.split('\n').find((line) => line.trim() !== '') ?? '';
  const name = `${l10n.t('Chat')}: ${title ?? label(first, 60)}`;
  const snippet = wholeFile({ name, text });
  const request = { snippet, languageId: languageIds[language], language, timeout, byAgent: true } as const;
  let runId: string | undefined;
  const onAbort = () => runId !== undefined && runs.stop(runId);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const { run, failure } = await runs.run(request, (id) => {
      runId = id;
      onStart();
    });
    signal.throwIfAborted();
    return { ...run, failure };
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
