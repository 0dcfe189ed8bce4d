import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { shorten } from '../../contract/shorten.ts';

/** Name of the folder that the examples are copied to. */
const folderName = 'web-data-examples';
const firstExample = 'hello.js';

/** Copies the examples into a folder that the user chooses, and opens the first one. */
export async function openExamples(extensionUri: vscode.Uri): Promise<void> {
  const [workspaceFolder] = vscode.workspace.workspaceFolders ?? [];
  const [chosen] =
    (await vscode.window.showOpenDialog({
      title: l10n.t('Choose a Folder for the Examples'),
      openLabel: l10n.t('Copy Examples Here'),
      canSelectFiles: false,
      canSelectFolders: true,
      ...(workspaceFolder && { defaultUri: workspaceFolder.uri }),
    })) ?? [];
  if (!chosen) return;
  const target = await freeFolder(chosen);
  await vscode.workspace.fs.copy(vscode.Uri.joinPath(extensionUri, 'examples'), target);
  await vscode.window.showTextDocument(vscode.Uri.joinPath(target, firstExample));
  if (vscode.workspace.getWorkspaceFolder(target)) return;
  const open = l10n.t('Open Folder in New Window');
  const picked = await vscode.window.showInformationMessage(
    l10n.t('Web Data: The examples are in {0}.', shorten(target.fsPath)),
    open,
  );
  if (picked) await vscode.commands.executeCommand('vscode.openFolder', target, { forceNewWindow: true });
}

/** Returns a folder that doesn't exist yet: nothing of the user's is overwritten. */
async function freeFolder(parent: vscode.Uri): Promise<vscode.Uri> {
  const names = new Set((await vscode.workspace.fs.readDirectory(parent)).map(([name]) => name));
  let name = folderName;
  for (let number = 2; names.has(name); number++) name = `${folderName}-${number}`;
  return vscode.Uri.joinPath(parent, name);
}
