import * as l10n from '@vscode/l10n';
import type { AgentSession, PermitAnswer, PermitRequest } from '../../contract/mcp/agent-sessions.ts';
import { Disposables, Signal } from '../ui/lifecycle.ts';
import { messageOf } from '../ui/text/text.ts';
import type { Connection } from './connection.ts';

/** What agents do in the sessions of the embedded service, and what they wait to be allowed. */
export class AgentSessions extends Disposables {
  readonly onChange = new Signal();
  #connection: Connection;
  #sessions = new Map<string, AgentSession>();
  #requests: readonly PermitRequest[] = [];

  constructor(connection: Connection, warn: (text: string) => void) {
    super();
    this.#connection = connection;
    this.add(connection.onAgents.on((state) => this.#set(state)));
    // The service tells only what changes.
    this.add(
      connection.onServiceLinked.on(() => {
        this.#read().catch((error: unknown) => warn(`Could not list what agents do: ${messageOf(error)}`));
      }),
    );
    this.add(
      connection.onDidChange.on(() => {
        if (!connection.serviceRuns || connection.target.kind !== 'embedded') this.#set({ sessions: [], requests: [] });
      }),
    );
  }

  /** Returns what an agent does in a session; undefined if none has used it. */
  find(sessionId: string): AgentSession | undefined {
    return this.#sessions.get(sessionId);
  }

  get sessions(): readonly AgentSession[] {
    return [...this.#sessions.values()];
  }

  /** What agents wait to be allowed, oldest first. */
  get requests(): readonly PermitRequest[] {
    return this.#requests;
  }

  requestsOf(sessionId: string): readonly PermitRequest[] {
    return this.#requests.filter((request) => request.sessionId === sessionId);
  }

  async pause(sessionId: string, paused: boolean): Promise<void> {
    await (await this.#embedded()).pauseAgent({ params: { sessionId }, body: { paused } });
  }

  async answer(requestId: string, answer: PermitAnswer): Promise<void> {
    await (await this.#embedded()).answerPermitRequest({ params: { requestId }, body: { answer } });
  }

  /** Returns what agents did in a session as a Playwright script. */
  async snippet(sessionId: string): Promise<string> {
    return (await (await this.#embedded()).getAgentSnippet({ params: { sessionId } })).code;
  }

  async #embedded() {
    return (await this.#connection.embedded(l10n.t('Agents are available only with the embedded service.'))).embedded;
  }

  async #read(): Promise<void> {
    const access = await this.#connection.existingAccess();
    if (access?.embedded) this.#set(await access.embedded.listAgentSessions({}));
  }

  #set({ sessions, requests }: { sessions: readonly AgentSession[]; requests: readonly PermitRequest[] }): void {
    this.#sessions = new Map(sessions.map((session) => [session.sessionId, session]));
    this.#requests = requests;
    this.onChange.fire();
  }
}
