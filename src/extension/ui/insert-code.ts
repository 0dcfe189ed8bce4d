import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { UserError } from './commands.ts';
import { visibleText } from './text/visible-text.ts';

const languageIds: Readonly<Record<string, string>> = {
  js: 'javascript',
  mjs: 'javascript',
  node: 'javascript',
  ts: 'typescript',
  py: 'python',
  sh: 'shellscript',
  bash: 'shellscript',
  shell: 'shellscript',
  yml: 'yaml',
  md: 'markdown',
};

/** Inserts code at the cursor of an editor, by default the active one, exactly as shown in the view; without an editor, into a new document. */
export async function insertCode(
  text: string,
  language: string,
  editor = vscode.window.activeTextEditor,
): Promise<void> {
  const code = visibleText(text);
  if (!editor) {
    await vscode.window.showTextDocument(await newDocument(code, language));
    return;
  }
  const done = await editor.edit((edit) => {
    for (const selection of editor.selections)
      edit.replace(selection, onSeparateLines(code, editor.document, selection));
  });
  if (!done)
    throw new UserError(
      l10n.t("Couldn't insert the code: the active editor is read-only. Open another file, then try again."),
    );
  editor.selections = editor.selections.map(({ end }) => new vscode.Selection(end, end));
  await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn });
}

/** Puts code of several lines on separate lines from the text around it. */
function onSeparateLines(code: string, document: vscode.TextDocument, { start, end }: vscode.Range): string {
  if (!code.includes('\n')) return code;
  const before = document.lineAt(start.line).text.slice(0, start.character).trim();
  const after = document.lineAt(end.line).text.slice(end.character).trim();
  return `${before === '' ? '' : '\n'}${code}${after === '' ? '' : '\n'}`;
}

async function newDocument(content: string, language: string): Promise<vscode.TextDocument> {
  const name = language.toLowerCase();
  const languageId = languageIds[name] ?? name;
  const known = await vscode.languages.getLanguages();
  return await vscode.workspace.openTextDocument({
    content,
    language: known.includes(languageId) ? languageId : 'plaintext',
  });
}

/** Copies text to the clipboard, exactly as shown in the view. */
export async function copyText(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(visibleText(text));
}
