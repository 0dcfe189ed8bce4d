import { homedir } from 'node:os';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { label } from './text/text.ts';

/** Asks a question in a dialog. Returns whether its button was chosen. */
export async function confirm(
  question: string,
  button: string,
  detail?: string,
  show: typeof vscode.window.showInformationMessage = vscode.window.showWarningMessage,
): Promise<boolean> {
  return (await show(question, { modal: true, ...(detail !== undefined && { detail }) }, button)) === button;
}

/** Tells something with an offer to do more, which runs if it is accepted. */
export async function offer(text: string, title: string, run: () => unknown): Promise<void> {
  if ((await vscode.window.showInformationMessage(text, title)) === title) await run();
}

/** Says in the status bar what was done. */
export function say(text: string, ms = 5_000): void {
  vscode.window.setStatusBarMessage(text, ms);
}

/** Returns where files are saved by default: in the workspace, or the home folder without one. */
export function saveFolder(): vscode.Uri {
  return vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
}

/** Asks where to save a file of a name. */
export async function askFile(
  title: string,
  name: string,
  filters?: Record<string, string[]>,
): Promise<vscode.Uri | undefined> {
  const defaultUri = vscode.Uri.joinPath(saveFolder(), name);
  return await vscode.window.showSaveDialog({ title, defaultUri, ...(filters && { filters }) });
}

/** Writes a text to a file, and says so. */
export async function saveText(target: vscode.Uri, text: string): Promise<void> {
  await vscode.workspace.fs.writeFile(target, Buffer.from(text));
  say(l10n.t('$(check) Saved {0}', label(target.path.split('/').at(-1) ?? '', 60)));
}

/** Asks for a folder. */
export async function askFolder(title: string, openLabel: string): Promise<vscode.Uri | undefined> {
  const options = { title, openLabel, canSelectFiles: false, canSelectFolders: true, defaultUri: saveFolder() };
  return (await vscode.window.showOpenDialog(options))?.[0];
}

export async function exists(file: vscode.Uri): Promise<boolean> {
  return await vscode.workspace.fs.stat(file).then(
    () => true,
    () => false,
  );
}
