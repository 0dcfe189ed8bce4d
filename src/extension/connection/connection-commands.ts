import * as vscode from 'vscode';
import { registerCommand, requireTrust } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { onSettingChanged } from '../ui/settings.ts';
import { label } from '../ui/text.ts';
import { connectToServer, signOut, useEmbeddedService } from './connect-to-server.ts';
import type { Connection, ServiceEnd } from './connection.ts';
import { startSettings } from './embedded/tuning.ts';
import { type MenuSession, showMenu } from './status-bar/menu.ts';

interface Parts {
  connection: Connection;
  sessions(): { list: readonly MenuSession[]; activeCount: number };
  log: vscode.LogOutputChannel;
}

/** The commands about servers, and the notices about the embedded service. */
export function registerConnectionCommands({ connection, sessions, log }: Parts): vscode.Disposable {
  const disposables = new Disposables();
  const command = (id: Parameters<typeof registerCommand>[0], run: () => unknown) =>
    disposables.add(registerCommand(id, log, run));

  command(commands.showMenu, () => showMenu(connection, sessions().list));
  command(commands.connectToServer, async () => {
    requireTrust();
    await connectToServer(connection);
  });
  command(commands.useEmbeddedService, useEmbeddedService);
  command(commands.signOut, () => signOut(connection));
  command(commands.restartEmbeddedService, async () => {
    requireTrust();
    if (await mayRestart(sessions().activeCount)) await connection.restartService();
  });
  command(commands.showServiceLog, () => showServiceLog(connection, log));
  disposables.add(connection.onServiceEnded.on((end) => void tellOfEnd({ ...end, sessions: sessions().activeCount })));
  disposables.add(
    onSettingChanged(startSettings, () => {
      if (connection.serviceRuns) void offerRestart();
    }),
  );
  return disposables;

  async function tellOfEnd(end: ServiceEnd & { sessions: number }): Promise<void> {
    if (end.expected || end.sessions === 0) return;
    const restart = 'Restart';
    const showLog = 'Show Service Log';
    const words = end.words ? ` Its last words: ${label(end.words, 300)}` : '';
    const chosen = await vscode.window.showErrorMessage(
      `Web Data: the embedded service died, and its sessions with it.${words}`,
      restart,
      showLog,
    );
    if (chosen === restart) await vscode.commands.executeCommand(commands.restartEmbeddedService);
    if (chosen === showLog) await vscode.commands.executeCommand(commands.showServiceLog);
  }

  async function offerRestart(): Promise<void> {
    const restart = 'Restart';
    const chosen = await vscode.window.showInformationMessage(
      'Web Data: the embedded service uses the new settings after a restart.',
      restart,
    );
    if (chosen === restart) await vscode.commands.executeCommand(commands.restartEmbeddedService);
  }
}

async function mayRestart(activeSessions: number): Promise<boolean> {
  if (activeSessions === 0) return true;
  const restart = 'Restart';
  const chosen = await vscode.window.showWarningMessage(
    'Restart the embedded service?',
    {
      modal: true,
      detail: `Its ${activeSessions === 1 ? 'session ends' : `${activeSessions} sessions end`}, in all windows.`,
    },
    restart,
  );
  return chosen === restart;
}

/** The embedded service's own log while it is the target; the extension's log where there is none. */
async function showServiceLog(connection: Connection, log: vscode.LogOutputChannel): Promise<void> {
  const file = vscode.Uri.joinPath(vscode.Uri.file(connection.dataDirectory), 'service.log');
  const there = await vscode.workspace.fs.stat(file).then(
    () => true,
    () => false,
  );
  if (connection.target.kind !== 'embedded' || !there) return log.show(true);
  await vscode.window.showTextDocument(file, { preview: true });
}
