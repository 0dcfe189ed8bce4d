import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import { registerCommand, requireTrust, showError, UserError } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { label } from '../ui/text/text.ts';
import type { VirtualDocuments } from '../ui/virtual-documents/virtual-documents.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import { expiryNotice } from './expiry/expiry.ts';
import { askSessionOptions } from './new-session/new-session.ts';
import { sessionDocument } from './session-document.ts';
import { isActive, type SessionInfo } from './session-info.ts';
import { sessionTexts, sessionTitle } from './session-texts.ts';

interface Parts {
  sessions: BrowserSessions;
  connection: Connection;
  documents: VirtualDocuments;
  runs: { isBusy(sessionId: string): boolean; stopAll(sessionId: string): void };
  liveViews: {
    open(sessionId: string): Promise<void>;
    openInBrowser(sessionId: string): Promise<void>;
  };
  log: vscode.LogOutputChannel;
}

/** The argument of a command: a row of the tree or a session id; undefined from the Command Palette. */
type SessionArgument = { sessionId?: unknown } | undefined;

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
    const session = await choose(parts, argument, l10n.t('Select a session to destroy'));
    if (!session || !(await mayDestroy(parts, session))) return;
    parts.runs.stopAll(session.id);
    await sessions.destroy(session);
  });
  command(commands.useBrowserSession, async (argument) => {
    const session = await choose(parts, argument, l10n.t('Select the session to run code in'), true);
    if (session) sessions.store.use(session.id);
  });
  command(commands.copyCdpUrl, async (argument) => {
    const session = await choose(parts, argument, l10n.t('Select a session to copy its CDP URL'));
    if (!session) return;
    if (!session.cdpUrl)
      throw new UserError(l10n.t('The server provides no CDP URL for session {0}.', sessionTitle(session)));
    await vscode.env.clipboard.writeText(session.cdpUrl);
    vscode.window.setStatusBarMessage(
      l10n.t('$(check) CDP URL copied. Anyone who has it can control the browser.'),
      5000,
    );
  });
  command(commands.openLiveView, async (argument) => {
    requireTrust();
    const session =
      argument?.sessionId === undefined && sessions.store.active.length === 0
        ? await sessions.create()
        : await choose(parts, argument, l10n.t('Select a session to open its live view'));
    if (session) await parts.liveViews.open(session.id);
  });
  command(commands.openLiveViewInBrowser, async (argument) => {
    const session = await choose(parts, argument, l10n.t('Select a session to open its live view'));
    if (session) await parts.liveViews.openInBrowser(session.id);
  });
  command(commands.showBrowserSession, async (argument) => {
    const session = await choose(parts, argument, l10n.t('Select a session to show'));
    if (session) await showDetails(parts, session);
  });
  command(commands.clearEndedSessions, () => sessions.clearEnded());
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

/** Returns the session that a command is for: the one in its argument, the only active one, or the one the user picks. */
async function choose(
  parts: Parts,
  argument: SessionArgument,
  title: string,
  alwaysAsk = false,
): Promise<SessionInfo | undefined> {
  requireTrust();
  const { store } = parts.sessions;
  if (typeof argument?.sessionId === 'string') {
    const session = store.find(argument.sessionId);
    if (!session) throw new UserError(l10n.t('This session no longer exists.'));
    return session;
  }
  const active = store.active;
  if (active.length === 0) {
    throw new UserError(l10n.t('No browser session is active.'), [
      { title: l10n.t('New Browser Session'), command: commands.newBrowserSession },
    ]);
  }
  if (active.length === 1 && !alwaysAsk) return active[0];
  const context = { now: Date.now(), several: true };
  const items = active.map((session) => {
    const current = store.current?.id === session.id;
    const texts = sessionTexts(session, { ...context, current, busy: parts.runs.isBusy(session.id) });
    return {
      label: texts.label,
      description: texts.description,
      ...(session.pageUrl && { detail: label(session.pageUrl, 100) }),
      buttons: [detailsButton],
      session,
    };
  });
  return await pickSession(items, title, (session) => showDetails(parts, session));
}

const detailsButton: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('info'),
  tooltip: l10n.t('Show Session Details'),
};

async function pickSession(
  items: readonly (vscode.QuickPickItem & { session: SessionInfo })[],
  title: string,
  showDetails: (session: SessionInfo) => Promise<void>,
): Promise<SessionInfo | undefined> {
  const pick = vscode.window.createQuickPick<(typeof items)[number]>();
  pick.title = title;
  pick.items = items;
  try {
    return await new Promise((resolve) => {
      pick.onDidAccept(() => resolve(pick.selectedItems[0]?.session));
      pick.onDidTriggerItemButton(({ item }) => {
        resolve(undefined);
        void showDetails(item.session).catch(showError);
      });
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}

async function showDetails({ documents }: Parts, session: SessionInfo): Promise<void> {
  await documents.open(`session ${session.shortId}.json`, sessionDocument(session));
}

async function mayDestroy(parts: Parts, session: SessionInfo): Promise<boolean> {
  if (!isActive(session) || !parts.runs.isBusy(session.id)) return true;
  const destroy = l10n.t('Destroy');
  const chosen = await vscode.window.showWarningMessage(
    l10n.t('Code is running in session {0}.', sessionTitle(session)),
    { modal: true, detail: l10n.t('Destroying the session stops the run and closes the browser.') },
    destroy,
  );
  return chosen === destroy;
}
