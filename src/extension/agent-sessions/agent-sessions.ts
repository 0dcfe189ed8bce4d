import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { PermitAnswer } from '../../contract/mcp/agent-sessions.ts';
import type { AgentSessions } from '../connection/agent-sessions.ts';
import { registerCommand, UserError } from '../ui/commands.ts';
import { openNew } from '../ui/dialogs.ts';
import { type CommandId, commands } from '../ui/ids.ts';
import { requestText } from '../ui/text/agent-texts.ts';
import { label } from '../ui/text/text.ts';

/** The argument of a command: a row of a tree; undefined from the Command Palette. */
type Argument = { sessionId?: unknown; requestId?: unknown } | undefined;

/** Registers the commands with which a person steers agents. */
export function registerAgentSessions(agents: AgentSessions, log: vscode.LogOutputChannel): vscode.Disposable {
  const command = (id: CommandId, run: (argument: Argument) => unknown) => registerCommand<[Argument]>(id, log, run);
  const answering = (answer: PermitAnswer) => async (argument: Argument) => {
    const requestId = await chooseRequest(agents, argument);
    if (requestId !== undefined) await agents.answer(requestId, answer);
  };
  const pausing = (paused: boolean) => async (argument: Argument) => {
    const title = paused
      ? l10n.t('Select the session in which to pause the agent')
      : l10n.t('Select the session to hand back');
    const sessionId = await chooseSession(agents, argument, title, (session) => session.paused !== paused);
    if (sessionId !== undefined) await agents.pause(sessionId, paused);
  };
  return vscode.Disposable.from(
    command(commands.pauseAgent, pausing(true)),
    command(commands.resumeAgent, pausing(false)),
    command(commands.allowOnce, answering('once')),
    command(commands.allowInSession, answering('session')),
    command(commands.denyRequest, answering('deny')),
    command(commands.showRequest, async (argument) => {
      const requestId = await chooseRequest(agents, argument);
      const request = agents.requests.find(({ id }) => id === requestId);
      if (!request) return;
      const content = request.detail || request.host;
      const language = request.kind === 'code' ? 'javascript' : 'plaintext';
      await openNew(language, content);
    }),
    command(commands.saveAsSnippet, async (argument) => {
      const title = l10n.t('Select the session to save as a snippet');
      const sessionId = await chooseSession(agents, argument, title, ({ actions }) => actions > 0);
      if (sessionId === undefined) return;
      await openNew('javascript', await agents.snippet(sessionId));
    }),
  );
}

async function chooseSession(
  agents: AgentSessions,
  argument: Argument,
  title: string,
  fits: (session: AgentSessions['sessions'][number]) => boolean,
): Promise<string | undefined> {
  if (typeof argument?.sessionId === 'string') return argument.sessionId;
  const fitting = agents.sessions.filter(fits);
  if (fitting.length === 0) throw new UserError(l10n.t('No agent is using a session.'));
  if (fitting.length === 1) return fitting[0]?.sessionId;
  const items = fitting.map(({ sessionId, agent }) => ({
    label: label(agent, 40),
    description: sessionId.slice(0, 8),
    sessionId,
  }));
  return (await vscode.window.showQuickPick(items, { title }))?.sessionId;
}

async function chooseRequest(agents: AgentSessions, argument: Argument): Promise<string | undefined> {
  if (typeof argument?.requestId === 'string') return argument.requestId;
  const { requests } = agents;
  if (requests.length === 0) throw new UserError(l10n.t('No agent is waiting for your permission.'));
  if (requests.length === 1) return requests[0]?.id;
  const items = requests.map((request) => ({
    label: requestText(request),
    detail: label(request.detail, 100),
    id: request.id,
  }));
  return (await vscode.window.showQuickPick(items, { title: l10n.t('Select a request') }))?.id;
}
