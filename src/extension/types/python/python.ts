import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand, UserError } from '../../ui/commands.ts';
import { commands } from '../../ui/ids.ts';
import { messageOf } from '../../ui/text/text.ts';
import type { RunFilesStore } from '../run-files-store.ts';
import { addExtraPath, type Configuration, hasExtraPaths, linkPlaywright, writePythonStubs } from './python-stubs.ts';

interface Options {
  /** The runs of this window. */
  runs: {
    onChange: {
      on(
        listener: (change: { kind: string; run?: { document?: string; language: string; state: string } }) => void,
      ): vscode.Disposable;
    };
  };
  files: RunFilesStore;
  /** Folder for files that the extension writes. */
  storage: vscode.Uri;
  /** Returns the data dir of the embedded service, in which it installs Playwright for Python. */
  serviceFolder(): string;
  log: vscode.LogOutputChannel;
}

/**
 * Adds each file that is run to those with types. Registers the command that adds types to Python snippets, and the quick
 * fix that offers it: nothing is added to those without asking.
 */
export function registerRunTypes({ runs, files, storage, serviceFolder, log }: Options): vscode.Disposable {
  const folder = vscode.Uri.joinPath(storage, 'python-types').fsPath;
  return vscode.Disposable.from(
    registerCommand(commands.addPythonTypes, log, () => addTypes(folder, serviceFolder())),
    vscode.languages.registerCodeActionsProvider(
      { language: 'python' },
      { provideCodeActions: (document, _range, { diagnostics }) => fixes(document, diagnostics, files) },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
    runs.onChange.on(({ kind, run }) => {
      if (kind === 'added' && run?.document && run.language !== 'bash') files.add(run.document);
      if (kind !== 'changed' || run?.language !== 'python' || run.state !== 'ok') return;
      // The first run has installed Playwright. This does nothing before the types were added.
      void linkPlaywright(folder, serviceFolder()).catch((error: unknown) =>
        log.warn(`Python types: Playwright can't be linked: ${messageOf(error)}`),
      );
    }),
  );
}

async function addTypes(folder: string, serviceFolder: string): Promise<void> {
  if (!hasExtraPaths(settingsOf)) {
    throw new UserError(
      l10n.t(
        'No Python extension with the setting "python.analysis.extraPaths" was found. Install Pylance or Pyright, then add the types again.',
      ),
    );
  }
  const isGlobal = await askScope();
  if (isGlobal === undefined) return;
  const hasPlaywright = await writePythonStubs(folder, serviceFolder);
  await addExtraPath(folder, isGlobal, settingsOf);
  void vscode.window.showInformationMessage(
    hasPlaywright
      ? l10n.t('Web Data: Python types were added.')
      : l10n.t(
          'Web Data: Python types were added. Run a Python file to install Playwright; its types are used from then on.',
        ),
  );
}

function fixes(
  document: vscode.TextDocument,
  diagnostics: readonly vscode.Diagnostic[],
  files: RunFilesStore,
): vscode.CodeAction[] {
  const found = diagnostics.filter(({ message }) => isAboutSessionName(message));
  if (found.length === 0) return [];
  if (!files.has(document.uri.toString()) && !hasPythonCells(document.getText())) return [];
  const action = new vscode.CodeAction(l10n.t("Add Web Data's Python types"), vscode.CodeActionKind.QuickFix);
  action.command = { command: commands.addPythonTypes, title: l10n.t('Add Python Types') };
  action.diagnostics = found;
  return [action];
}

function settingsOf(section: string): Configuration {
  return vscode.workspace.getConfiguration(section);
}

/** Asks whose settings to change. Returns true for the user's, false for the workspace's, undefined if canceled. */
async function askScope(): Promise<boolean | undefined> {
  const workspace = {
    label: l10n.t('This Workspace'),
    detail: l10n.t('Saved in .vscode/settings.json'),
    isGlobal: false,
  };
  const user = { label: l10n.t('All Workspaces'), detail: l10n.t('Saved in your user settings'), isGlobal: true };
  const choices = vscode.workspace.workspaceFolders?.length ? [workspace, user] : [user];
  const chosen = await vscode.window.showQuickPick(choices, {
    placeHolder: l10n.t('Add a folder with types to "extraPaths" of your Python extension for…'),
  });
  return chosen?.isGlobal;
}

const cellMarker = /^[ \t]*#[ \t]*%%/m;
/** As Pyright, Ruff and Pyflakes report it. */
const undefinedName = /(?:is not defined|undefined name)/i;
const sessionName = /["'`](?:page|context|browser|playwright)["'`]/;

/** Whether a Python text has cells. */
export function hasPythonCells(text: string): boolean {
  return cellMarker.test(text);
}

/** Whether a diagnostic reports a name of the session as undefined. */
export function isAboutSessionName(message: string): boolean {
  return undefinedName.test(message) && sessionName.test(message);
}
