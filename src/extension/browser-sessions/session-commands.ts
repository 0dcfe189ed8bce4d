import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FeatureParts } from '../connection/connection.ts';
import { inBackground, registerCommand, UserError } from '../ui/commands.ts';
import { confirm, say, settled } from '../ui/dialogs.ts';
import { type CommandId, commands } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { readSetting } from '../ui/settings.ts';
import { hostOf, label } from '../ui/text/text.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import { expiryNotice } from './expiry/expiry.ts';
import { importLogin, profileActions, saveLogin } from './logins.ts';
import { askSessionOptions } from './new-session/new-session.ts';
import { unsetTimes } from './new-session/pick-items.ts';
import { sessionDocument } from './session-document.ts';
import { sessionTexts, sessionTitle } from './session-texts.ts';
import { isActive, type SessionInfo } from './sessions-store.ts';

interface Parts extends FeatureParts {
  sessions: BrowserSessions;
  runs: {
    readonly store: { readonly runs: readonly { sessionId?: string | undefined }[] };
    isBusy(sessionId: string): boolean;
    stopAll(sessionId: string): void;
  };
  liveViews: {
    open(sessionId: string): Promise<void>;
    openInBrowser(sessionId: string): Promise<void>;
  };
}

/** The argument of a command: a row of the tree or a session id; undefined from the Command Palette. */
type SessionArgument = { sessionId?: unknown } | undefined;

export function registerSessionCommands(parts: Parts): vscode.Disposable {
  const { sessions, log } = parts;
  const disposables = new Disposables();
  const command = (id: CommandId, run: (argument: SessionArgument) => unknown) =>
    disposables.add(registerCommand<[SessionArgument]>(id, log, run));

  command(commands.newBrowserSession, async () => {
    const session = await sessions.create();
    return session.id;
  });
  command(commands.newBrowserSessionWithOptions, async () => {
    const isEmbedded = parts.connection.target.kind === 'embedded';
    const unset = unsetTimes(isEmbedded ? readSetting('sessionIdleMinutes') : undefined);
    const actions = isEmbedded ? profileActions(parts) : [];
    const profiles = () => sessions.profiles();
    const options = await askSessionOptions(sessions.defaults, profiles, unset, actions, isEmbedded);
    return options && (await sessions.create(options)).id;
  });
  command(commands.destroyBrowserSession, async (argument) => {
    const session = await choose(parts, argument, l10n.t('Select a session to destroy'));
    if (!session || !(await mayDestroy(parts, session))) return;
    parts.runs.stopAll(session.id);
    const { store } = sessions;
    const isCurrent = store.currentId === session.id;
    // Code that is run while it closes goes elsewhere.
    if (isCurrent) store.use(undefined);
    try {
      if ((await vscode.commands.executeCommand(commands.endInteraction, session.id)) !== true)
        await sessions.destroy(session);
    } catch (error) {
      if (isCurrent && store.currentId === undefined) store.use(session.id);
      throw error;
    }
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
    say(l10n.t('$(check) CDP URL copied. Anyone who has it can control the browser.'));
  });
  command(commands.openLiveView, async (argument) => {
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
  command(commands.importLogin, () => importLogin(parts));
  command(commands.saveLogin, async (argument) => {
    const session = await choose(parts, argument, l10n.t('Select a session to save its login'));
    if (session) await saveLogin(parts, session);
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
async function choose(parts: Parts, argument: SessionArgument, title: string, alwaysAsk = false) {
  const { store } = parts.sessions;
  if (typeof argument?.sessionId === 'string') {
    const session = store.find(argument.sessionId);
    if (session) return session;
    const another = { title: l10n.t('Use Browser Session…'), command: commands.useBrowserSession };
    throw new UserError(l10n.t('This session no longer exists.'), [another]);
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
  return await pickSession(items, title, (session) =>
    inBackground(commands.showBrowserSession, showDetails(parts, session), parts.log),
  );
}

const detailsButton: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('info'),
  tooltip: l10n.t('Show Session Details'),
};

async function pickSession(
  items: readonly (vscode.QuickPickItem & { session: SessionInfo })[],
  title: string,
  showDetails: (session: SessionInfo) => void,
): Promise<SessionInfo | undefined> {
  const pick = vscode.window.createQuickPick<(typeof items)[number]>();
  pick.title = title;
  pick.items = items;
  const wire = (resolve: (none: undefined) => void) =>
    pick.onDidTriggerItemButton(({ item }) => {
      resolve(undefined);
      showDetails(item.session);
    });
  return await settled(pick, (item) => item?.session, wire);
}

async function showDetails({ documents }: Parts, session: SessionInfo): Promise<void> {
  await documents.open(`session ${session.shortId}.json`, sessionDocument(session));
}

/** Asks whether to end a session if code runs in it, or if what was done in it is not saved to a profile. */
async function mayDestroy(parts: Pick<Parts, 'runs'>, session: SessionInfo): Promise<boolean> {
  const { profile, saveChanges } = session;
  const isBusy = parts.runs.isBusy(session.id);
  const losesProfile = profile !== undefined && saveChanges === false;
  const hasRun = parts.runs.store.runs.some((run) => run.sessionId === session.id);
  // A page of a site can have a login that was made by hand.
  const loses = losesProfile || (profile === undefined && (hasRun || hostOf(session.pageUrl) !== undefined));
  if (!isActive(session) || !(isBusy || loses)) return true;
  const title = sessionTitle(session);
  const detail = [
    isBusy && l10n.t('Destroying the session stops the run and closes the browser.'),
    losesProfile &&
      l10n.t("Changes since it started, such as a new login, won't be saved to profile {0}.", label(profile, 40)),
    loses &&
      !losesProfile &&
      (hasRun ? l10n.t('Its tabs, variables and logins will be lost.') : l10n.t('Its tabs and logins will be lost.')),
  ];
  const question = isBusy ? l10n.t('Code is running in session {0}.', title) : l10n.t('Destroy session {0}?', title);
  return await confirm(question, l10n.t('Destroy'), detail.filter(Boolean).join('\n'));
}
