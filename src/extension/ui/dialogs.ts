import { homedir } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { abortable } from './lifecycle.ts';
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

/** Asks whether something that runs is to be canceled: a button called Cancel beside that would say the opposite. */
export async function confirmCancel(question: string, button: string, detail: string): Promise<boolean> {
  const keep: vscode.MessageItem = { title: l10n.t('Keep Running'), isCloseAffordance: true };
  const chosen = await vscode.window.showWarningMessage<vscode.MessageItem>(
    question,
    { modal: true, detail },
    { title: button },
    keep,
  );
  return chosen?.title === button;
}

/**
 * Asks for a text in an input that stays when the focus moves. Returns it without spaces around it; undefined if the user cancels.
 * @param problem why such a text can't be used; undefined if it can
 */
export async function askText(
  options: vscode.InputBoxOptions,
  problem?: (text: string) => string | undefined,
): Promise<string | undefined> {
  const check = problem && { validateInput: (typed: string) => problem(typed.trim()) };
  return (await vscode.window.showInputBox({ ignoreFocusOut: true, ...options, ...check }))?.trim();
}

/** Asks for one of some items. If there are none, throws `none`. */
export async function chooseFrom<Item extends vscode.QuickPickItem>(
  items: readonly Item[],
  none: Error,
  options: vscode.QuickPickOptions,
): Promise<Item | undefined> {
  if (items.length === 0) throw none;
  return await vscode.window.showQuickPick(items, options);
}

/** Says that a text is longer than a limit; undefined if it isn't. */
export function tooLong(text: string, most: number): string | undefined {
  return [...text].length > most ? l10n.t('At most {0} characters.', most.toLocaleString('en')) : undefined;
}

/** Opens a new document that isn't saved yet. */
export async function openNew(language: string, content = ''): Promise<vscode.TextEditor> {
  return await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language, content }));
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

/**
 * Shows a quick pick, which stays when the focus moves, and disposes of it at the end.
 * @param accept returns the result for what is accepted; undefined for nothing that can be
 * @param wire other ways to end it
 * @returns what it was settled with; `hidden` if the user hides it
 */
export async function settled<Item extends vscode.QuickPickItem, Result>(
  pick: vscode.QuickPick<Item>,
  accept: (item: Item | undefined) => Result | undefined,
  wire?: (settle: (result: Result | undefined) => void) => void,
  hidden?: Result,
): Promise<Result | undefined> {
  pick.ignoreFocusOut = true;
  try {
    return await new Promise<Result | undefined>((resolve) => {
      pick.onDidAccept(() => {
        const result = accept(pick.selectedItems[0]);
        if (result !== undefined) resolve(result);
      });
      wire?.(resolve);
      pick.onDidHide(() => resolve(hidden));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}

/** Tasks that end sooner show no progress, and don't wait for the window to show it. */
const quickMs = 100;

/**
 * Runs a task with a cancellable progress notification, which quick tasks never show.
 * @throws vscode.CancellationError as soon as the user cancels, even if the task continues
 */
export async function cancellable<Result>(
  title: string,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const abort = new AbortController();
  const running = task(abort.signal);
  const ended = running.then(
    () => true,
    () => true,
  );
  if (await Promise.race([ended, wait(quickMs, false)])) return await running;
  return await withNotification(title, (signal) => abortable(running, signal), abort);
}

/** Runs a task with a progress notification until the user cancels it, which aborts its signal with a CancellationError. */
export async function withNotification<Result>(
  title: string,
  task: (
    signal: AbortSignal,
    progress: vscode.Progress<{ message?: string; increment?: number }>,
    token: vscode.CancellationToken,
  ) => Promise<Result>,
  abort?: AbortController,
): Promise<Result> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return await vscode.window.withProgress(options, (progress, token) =>
    untilCancelled(token, (signal) => task(signal, progress, token), abort),
  );
}

/** Runs a task until a token is canceled, which aborts its signal with a CancellationError. */
export async function untilCancelled<Value>(
  token: vscode.CancellationToken,
  task: (signal: AbortSignal) => Promise<Value>,
  abort = new AbortController(),
): Promise<Value> {
  const cancel = () => abort.abort(new vscode.CancellationError());
  if (token.isCancellationRequested) cancel();
  const listening = token.onCancellationRequested(cancel);
  try {
    abort.signal.throwIfAborted();
    return await task(abort.signal);
  } finally {
    listening.dispose();
  }
}
