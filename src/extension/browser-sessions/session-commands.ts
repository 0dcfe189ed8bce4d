import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import { registerCommand, requireTrust, UserError } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { label } from '../ui/text.ts';
import type { VirtualDocuments } from '../ui/virtual-documents.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import { expiryNotice } from './expiry/expiry.ts';
import { askSessionOptions } from './new-session/new-session.ts';
import { sessionDocument } from './session-document.ts';
import { isActive, type SessionInfo } from './session-info.ts';
import { sessionTexts } from './session-texts.ts';

interface Parts {
  sessions: BrowserSessions;
  connection: Connection;
  documents: VirtualDocuments;
  runs: { isBusy(sessionId: string): boolean; stopAll(sessionId: string): void };
  liveViews: {
    open(sessionId: string, instead?: string): Promise<void>;
    openInBrowser(sessionId: string): Promise<void>;
  };
  log: vscode.LogOutputChannel;
}

/** What a command is given: a row of the tree, a session's id from elsewhere, or nothing from the palette. */
type SessionArgument = { sessionId?: unknown; instead?: unknown } | undefined;

export function registerSessionCommands(parts: Parts): vscode.Disposable {
  const { sessions, log } = parts;
  const disposables = new Disposables();
  const command = (id: Parameters<typeof registerCommand>[0], run: (argument: SessionArgument) => unknown) =>
    disposables.add(registerCommand<[SessionArgument]>(id, log, run));

  command(commands.newBrowserSession, async () => {
    requireTrust();
    const session = await sessions.create();
    return session.id;
  });
  command(commands.newBrowserSessionWithOptions, async () => {
    requireTrust();
    const options = await askSessionOptions(sessions.defaults, () => sessions.profiles());
    return options && (await sessions.create(options)).id;
  });
  command(commands.destroyBrowserSession, async (argument) => {
    const session = await choose(parts, argument, 'Destroy which session?');
    if (!session || !(await mayDestroy(parts, session))) return;
    parts.runs.stopAll(session.id);
    await sessions.destroy(session);
  });
  command(commands.useBrowserSession, async (argument) => {
    const session = await choose(parts, argument, 'Run in which session?', true);
    if (session) sessions.store.use(session.id);
  });
  command(commands.copyCdpUrl, async (argument) => {
    const session = await choose(parts, argument, 'Copy the CDP URL of which session?');
    if (!session) return;
    if (!session.cdpUrl) throw new UserError(`The server gives no CDP URL for session ${session.shortId}.`);
    await vscode.env.clipboard.writeText(session.cdpUrl);
    vscode.window.setStatusBarMessage('$(check) CDP URL copied. Whoever has it controls the browser.', 5000);
  });
  command(commands.openLiveView, async (argument) => {
    const session = await choose(parts, argument, 'Open the live view of which session?');
    if (session)
      await parts.liveViews.open(session.id, typeof argument?.instead === 'string' ? argument.instead : undefined);
  });
  command(commands.openLiveViewInBrowser, async (argument) => {
    const session = await choose(parts, argument, 'Open the live view of which session?');
    if (session) await parts.liveViews.openInBrowser(session.id);
  });
  command(commands.showBrowserSession, async (argument) => {
    const session = await choose(parts, argument, 'Show which session?');
    if (session) await parts.documents.open(`session ${session.shortId}.json`, sessionDocument(session));
  });
  command(commands.refreshBrowserSessions, () => {
    requireTrust();
    sessions.policy.request('command');
  });
  disposables.add(
    expiryNotice({
      sessions,
      mayEnd: (session) => mayDestroy(parts, session),
      stopAll: (id) => parts.runs.stopAll(id),
      log,
    }),
  );
  return disposables;
}

/** The session that a command is for: the one it was given, the only one there is, or the one the person picks. */
async function choose(
  parts: Parts,
  argument: SessionArgument,
  title: string,
  always = false,
): Promise<SessionInfo | undefined> {
  requireTrust();
  const { store } = parts.sessions;
  if (typeof argument?.sessionId === 'string') {
    const session = store.find(argument.sessionId);
    if (!session) throw new UserError('That session is not known any more.');
    return session;
  }
  const active = store.active;
  if (active.length === 0) {
    throw new UserError('There is no browser session.', [
      { title: 'New Browser Session', command: commands.newBrowserSession },
    ]);
  }
  if (active.length === 1 && !always) return active[0];
  const look = { now: Date.now(), several: true };
  const picked = await vscode.window.showQuickPick(
    active.map((session) => {
      const current = store.current?.id === session.id;
      const texts = sessionTexts(session, { ...look, current, busy: parts.runs.isBusy(session.id) });
      return {
        label: texts.label,
        description: texts.description,
        detail: session.pageUrl && label(session.pageUrl, 100),
        session,
      };
    }),
    { title },
  );
  return picked?.session;
}

async function mayDestroy(parts: Parts, session: SessionInfo): Promise<boolean> {
  if (!isActive(session) || !parts.runs.isBusy(session.id)) return true;
  const destroy = 'Destroy';
  const chosen = await vscode.window.showWarningMessage(
    `Code is running in session ${session.shortId}.`,
    { modal: true, detail: 'Destroying the session ends the run and closes the browser.' },
    destroy,
  );
  return chosen === destroy;
}
