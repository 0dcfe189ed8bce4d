import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { openNew } from '../../ui/dialogs.ts';
import { insertionFor, type VerificationLanguage, verificationFiles } from './verification-code.ts';

const names: Record<string, VerificationLanguage> = { TypeScript: 'typescript', Python: 'python', Go: 'go' };

/** Inserts code that verifies deliveries into the active editor; if its language isn't supported, into a new document. */
export async function insertVerificationCode(extensionUri: vscode.Uri): Promise<void> {
  const active = vscode.window.activeTextEditor;
  const known = active && !active.document.isClosed && Object.hasOwn(verificationFiles, active.document.languageId);
  const language = known ? (active.document.languageId as VerificationLanguage) : await pickLanguage();
  if (!language) return;
  const editor = known ? active : await openNew(language);
  const file = vscode.Uri.joinPath(extensionUri, 'media', 'webhook-verification', verificationFiles[language]);
  const code = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  const { importLine, imports, code: body } = insertionFor(language, code, editor.document.getText());
  await editor.edit((edit) => {
    if (importLine !== undefined) edit.insert(new vscode.Position(importLine, 0), imports);
    edit.insert(editor.selection.active, body);
  });
}

async function pickLanguage(): Promise<VerificationLanguage | undefined> {
  const picked = await vscode.window.showQuickPick(Object.keys(names), {
    title: l10n.t('Select a Language for the Verification Code'),
  });
  return picked === undefined ? undefined : names[picked];
}
