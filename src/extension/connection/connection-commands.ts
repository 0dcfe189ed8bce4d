import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../ui/commands.ts';
import { confirm, exists, offer } from '../ui/dialogs.ts';
import { type CommandId, commands } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { onSettingChanged } from '../ui/settings.ts';
import { label } from '../ui/text/text.ts';
import { connectToServer, signOut, useEmbeddedService } from './connect/connect.ts';
import type { Connection, FeatureParts, ServiceStop } from './connection.ts';
import { serviceTuning, startSettings } from './embedded/service-settings.ts';
import { isProgram } from './remedies/remedies.ts';
import { type MenuSession, showMenu } from './status-bar/menu.ts';

interface Parts extends Pick<FeatureParts, 'connection' | 'log'> {
  sessions(): { list: readonly MenuSession[]; activeCount: number };
}

/** Registers the server commands and the notifications about the embedded service. */
export function registerConnectionCommands({ connection, sessions, log }: Parts): vscode.Disposable {
  const disposables = new Disposables();
  let offering = false;
  let known = JSON.stringify(serviceTuning());
  /** What the service runs with. */
  let used = known;
  const command = (id: CommandId, run: (argument?: unknown) => unknown) =>
    disposables.add(registerCommand(id, log, run));

  command(commands.showMenu, () => showMenu(connection, sessions().list));
  command(commands.connectToServer, async (address) => {
    await connectToServer(connection, address);
  });
  command(commands.refresh, async () => {
    connection.onRefresh.fire();
    // Views may be hidden: whoever asks for a retry wants to know.
    if (connection.trouble) await connection.retry();
  });
  command(commands.installProgram, async (program) => {
    if (!isProgram(program)) return;
    const { install } = await import('./remedies/install.ts');
    await install(program);
  });
  command(commands.useEmbeddedService, () => useEmbeddedService(connection));
  command(commands.signOut, () => signOut(connection));
  command(commands.restartEmbeddedService, async () => {
    if (await confirmRestart(sessions().activeCount)) await connection.restartService();
  });
  command(commands.showServiceLog, () => showServiceLog(connection, log));
  disposables.add(connection.onServiceStopped.on((stop) => void reportStop(stop, sessions().activeCount)));
  disposables.add(
    connection.onServiceLinked.on(() => {
      used = JSON.stringify(serviceTuning());
    }),
  );
  disposables.add(
    onSettingChanged(startSettings, () => {
      const before = known;
      known = JSON.stringify(serviceTuning());
      // A value for a workspace has no effect. One offer is enough, however often a value changes while it is typed.
      if (!connection.serviceRuns || offering || known === before || known === used) return;
      offering = true;
      const text = l10n.t('Web Data: Restart the embedded service to apply the new settings.');
      const restart = () => vscode.commands.executeCommand(commands.restartEmbeddedService);
      void offer(text, l10n.t('Restart'), restart).finally(() => {
        offering = false;
      });
    }),
  );
  return disposables;

  async function reportStop(stop: ServiceStop, activeSessions: number): Promise<void> {
    if (stop.expected || activeSessions === 0) return;
    const restart = l10n.t('Restart');
    const showLog = l10n.t('Show Service Log');
    const chosen = await vscode.window.showErrorMessage(
      stop.reason
        ? l10n.t(
            'Web Data: The embedded service stopped unexpectedly. Its sessions were lost. Log: {0}',
            label(stop.reason, 300),
          )
        : l10n.t('Web Data: The embedded service stopped unexpectedly. Its sessions were lost.'),
      restart,
      showLog,
    );
    if (chosen === restart) await vscode.commands.executeCommand(commands.restartEmbeddedService);
    if (chosen === showLog) await vscode.commands.executeCommand(commands.showServiceLog);
  }
}

async function confirmRestart(activeSessions: number): Promise<boolean> {
  if (activeSessions === 0) return true;
  const detail =
    activeSessions === 1
      ? l10n.t('This ends its session in all windows.')
      : l10n.t('This ends its {0} sessions in all windows.', activeSessions);
  return await confirm(l10n.t('Restart the embedded service?'), l10n.t('Restart'), detail);
}

/** Opens the embedded service's log file if that is the target and the file exists, otherwise the extension's log. */
async function showServiceLog(connection: Connection, log: vscode.LogOutputChannel): Promise<void> {
  const file = vscode.Uri.joinPath(vscode.Uri.file(connection.dataDirectory), 'service.log');
  if (connection.target.kind !== 'embedded' || !(await exists(file))) return log.show(true);
  await vscode.window.showTextDocument(file, { preview: true });
}
