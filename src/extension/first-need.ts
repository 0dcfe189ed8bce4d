import * as vscode from 'vscode';
import { dataDirectory, serviceMayRun } from './connection/embedded/service-settings.ts';
import { targetOf } from './connection/target.ts';
import { hasCells, trackMarker } from './runs/editor/cells.ts';
import type { RunFilesStore } from './types/run-files-store.ts';
import { draftScheme, runnableLanguages, settingsSection } from './ui/ids.ts';
import { Disposables } from './ui/lifecycle.ts';
import { readSetting } from './ui/settings.ts';
import { storedWebhooks } from './webhooks/stored-state.ts';

/**
 * Loads the features once this window needs them, even if none has been used: to link to the running service again, to show the
 * sessions of a server, to receive webhooks, or in the editor of a document that they add something to.
 */
export function loadWhenNeeded(
  context: vscode.ExtensionContext,
  runFiles: RunFilesStore,
  load: () => void,
): vscode.Disposable {
  const disposables = new Disposables();
  const add = disposables.add.bind(disposables);
  const loadOnce = () => {
    if (disposables.disposed) return;
    disposables.dispose();
    load();
  };
  const look = (document: vscode.TextDocument) => {
    if (addsTo(document, runFiles)) loadOnce();
  };
  const lookAround = async () => {
    if (await isInUse(context)) loadOnce();
  };
  add(vscode.workspace.onDidOpenTextDocument(look));
  add(
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      // Only the start of a cell changes whether there is something to add.
      if (trackMarker(document, undefined, contentChanges) !== undefined) look(document);
    }),
  );
  add(vscode.workspace.onDidGrantWorkspaceTrust(() => void lookAround()));
  add(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(settingsSection)) loadOnce();
    }),
  );
  // After activation, which the user may be waiting for.
  setImmediate(() => {
    vscode.workspace.textDocuments.forEach(look);
    void lookAround();
  });
  return disposables;
}

/** Whether the features have a button, a mark or a fix in a document. */
function addsTo(document: vscode.TextDocument, runFiles: RunFilesStore): boolean {
  const { uri, languageId } = document;
  if (uri.scheme === draftScheme || uri.path.endsWith('.crawl.json')) return true;
  if (languageId === 'python' && runFiles.has(uri.toString())) return true;
  return Object.hasOwn(runnableLanguages, languageId) && hasCells(document.getText());
}

/** Whether something that this window takes part in may be running. */
async function isInUse(context: vscode.ExtensionContext): Promise<boolean> {
  if (!vscode.workspace.isTrusted) return false;
  if (targetOf(readSetting('serverBaseUrl')).kind === 'server') return true;
  if (storedWebhooks(context.workspaceState).receiving) return true;
  return await serviceMayRun(dataDirectory(context));
}
