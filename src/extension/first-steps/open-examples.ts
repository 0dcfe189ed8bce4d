import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { shorten } from '../../contract/shorten.ts';
import { askFolder, offer } from '../ui/dialogs.ts';

/** Name of the folder that the examples are copied to. */
const folderName = 'web-data-examples';
const firstExample = 'hello.js';

/** Copies the examples into a folder that the user chooses, and opens the first one. */
export async function openExamples(extensionUri: vscode.Uri): Promise<void> {
  const chosen = await askFolder(l10n.t('Choose a Folder for the Examples'), l10n.t('Copy Examples Here'));
  if (!chosen) return;
  const target = await freeFolder(chosen);
  await vscode.workspace.fs.copy(vscode.Uri.joinPath(extensionUri, 'examples'), target);
  await vscode.window.showTextDocument(vscode.Uri.joinPath(target, firstExample));
  if (vscode.workspace.getWorkspaceFolder(target)) return;
  const text = l10n.t('Web Data: The examples are in {0}.', shorten(target.fsPath));
  await offer(text, l10n.t('Open Folder in New Window'), async () => {
    await vscode.commands.executeCommand('vscode.openFolder', target, { forceNewWindow: true });
  });
}

/** Returns a folder that doesn't exist yet: nothing of the user's is overwritten. */
async function freeFolder(parent: vscode.Uri): Promise<vscode.Uri> {
  const names = new Set((await vscode.workspace.fs.readDirectory(parent)).map(([name]) => name));
  let name = folderName;
  for (let number = 2; names.has(name); number++) name = `${folderName}-${number}`;
  return vscode.Uri.joinPath(parent, name);
}
