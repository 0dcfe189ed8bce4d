import * as vscode from 'vscode';
import { UserError } from '../../ui/commands.ts';
import { visibleText } from '../visible-text.ts';

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

/** Puts code at the cursor of the editor that was used last, exactly as it is shown; into a new document where there is none. */
export async function insertCode(text: string, language: string): Promise<void> {
  const code = visibleText(text);
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    await vscode.window.showTextDocument(await newDocument(code, language));
    return;
  }
  const done = await editor.edit((edit) => {
    for (const selection of editor.selections)
      edit.replace(selection, onLinesOfItsOwn(code, editor.document, selection));
  });
  if (!done) throw new UserError('The editor that was used last cannot be written to: the code was not inserted.');
  editor.selections = editor.selections.map(({ end }) => new vscode.Selection(end, end));
  await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn });
}

/** Code of several lines does not run into what stands before and behind it. */
function onLinesOfItsOwn(code: string, document: vscode.TextDocument, { start, end }: vscode.Range): string {
  if (!code.includes('\n')) return code;
  const before = document.lineAt(start.line).text.slice(0, start.character).trim();
  const behind = document.lineAt(end.line).text.slice(end.character).trim();
  return `${before === '' ? '' : '\n'}${code}${behind === '' ? '' : '\n'}`;
}

async function newDocument(content: string, language: string): Promise<vscode.TextDocument> {
  const name = language.toLowerCase();
  const wanted = languageIds[name] ?? name;
  const known = await vscode.languages.getLanguages();
  return await vscode.workspace.openTextDocument({ content, language: known.includes(wanted) ? wanted : 'plaintext' });
}

/** Puts code on the clipboard, exactly as it is shown. */
export async function copyText(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(visibleText(text));
}
