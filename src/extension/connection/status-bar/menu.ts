import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../../ui/ids.ts';
import { currentMark } from '../../ui/session-mark.ts';
import { readSetting } from '../../ui/settings.ts';
import { hostOf, label } from '../../ui/text/text.ts';
import type { Connection } from '../connection.ts';
import { targetName } from '../target.ts';

/** A session in the menu. */
export interface MenuSession {
  id: string;
  label: string;
  description: string;
  current: boolean;
}

interface MenuItem extends vscode.QuickPickItem {
  command?: string;
  args?: unknown[];
}

/** Shows the menu of the status bar item: the sessions to choose from, and the server commands. */
export async function showMenu(connection: Connection, sessions: readonly MenuSession[]): Promise<void> {
  const picked = await vscode.window.showQuickPick(menuItems(connection, sessions), {
    title: `Web Data: ${label(targetName(connection.target), 60)}`,
    placeHolder: l10n.t('Choose a session or a server'),
  });
  if (picked?.command) await vscode.commands.executeCommand(picked.command, ...(picked.args ?? []));
}

function menuItems(connection: Connection, sessions: readonly MenuSession[]): MenuItem[] {
  const separator = (text: string): MenuItem => ({ label: text, kind: vscode.QuickPickItemKind.Separator });
  const embedded = connection.target.kind === 'embedded';
  return [
    ...(connection.trouble ? [retryItem(connection)] : []),
    separator(l10n.t('Browser sessions')),
    ...sessions.map((session) => ({
      label: `$(${session.current ? currentMark.icon : currentMark.otherIcon}) ${session.label}`,
      description: session.current ? `${session.description} · ${currentMark.word}` : session.description,
      command: commands.useBrowserSession,
      args: [{ sessionId: session.id }],
    })),
    { label: l10n.t('$(add) New Browser Session'), command: commands.newBrowserSession },
    { label: l10n.t('$(settings) New Browser Session with Options…'), command: commands.newBrowserSessionWithOptions },
    ...sessions.flatMap(({ id, current }) =>
      current
        ? [{ label: l10n.t('$(eye) Open Live View'), command: commands.openLiveView, args: [{ sessionId: id }] }]
        : [],
    ),
    ...(embedded
      ? [
          separator(l10n.t('Language model')),
          {
            label: l10n.t('Set Up a Language Model…'),
            description: label(modelName(connection), 60),
            command: commands.setUpLanguageModel,
          },
        ]
      : []),
    separator(l10n.t('Server')),
    {
      label: l10n.t('Connect to Server…'),
      description: embedded ? '' : label(targetName(connection.target), 60),
      command: commands.connectToServer,
    },
    ...(embedded ? [] : [{ label: l10n.t('Use Embedded Service'), command: commands.useEmbeddedService }]),
    ...(embedded ? [] : [{ label: l10n.t('Sign Out of Server'), command: commands.signOut }]),
    ...(connection.serviceRuns
      ? [{ label: l10n.t('Restart Embedded Service'), command: commands.restartEmbeddedService }]
      : []),
    { label: l10n.t('Show Service Log'), command: commands.showServiceLog },
  ];
}

function retryItem({ target, trouble }: Connection): MenuItem {
  const name = label(targetName(target), 60);
  const description =
    trouble === 'stopped' ? l10n.t('The embedded service stopped') : l10n.t("{0} doesn't respond", name);
  return { label: l10n.t('$(refresh) Try Again'), description, command: commands.refresh };
}

/** Returns the language model that prompts use: the one that the service was offered, else the one it will be. */
function modelName({ languageModel }: Connection): string {
  const { WEBDATA_LLM_BASE_URL: url, WEBDATA_LLM_MODEL: fromEnvironment } = process.env;
  if (url && fromEnvironment) return l10n.t('{0} · from the environment', fromEnvironment);
  const host = hostOf(readSetting('languageModelBaseUrl'));
  return (
    languageModel ??
    (host === undefined ? l10n.t('none') : l10n.t('{0} on {1}', readSetting('languageModelName'), host))
  );
}
