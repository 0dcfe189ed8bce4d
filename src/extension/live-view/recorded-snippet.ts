import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { LiveStatement } from '../../contract/sessions/live-view.ts';
import { UserError } from '../ui/commands.ts';
import type { LastEditor } from './last-editor.ts';

const languages = /^(?:javascript|typescript|python)/;

/** Writes recorded statements into the editor that was used last, in its language, or into a new snippet. The focus stays where it is. */
export class RecordedSnippet {
  #last: LastEditor;
  #document: vscode.TextDocument | undefined;
  #column: vscode.ViewColumn | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(last: LastEditor) {
    this.#last = last;
  }

  /** Chooses the document. */
  async begin(): Promise<void> {
    const { editor } = this.#last;
    const isUsable = editor !== undefined && languages.test(editor.document.languageId);
    this.#document = isUsable
      ? editor.document
      : await vscode.workspace.openTextDocument({ language: 'javascript', content: '' });
    this.#column = isUsable ? editor.viewColumn : vscode.ViewColumn.One;
    await this.#show(this.#document);
  }

  /** Writes a statement below the cursor. Resolves when it and all before it are written. */
  add(statement: LiveStatement): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write(statement));
    const written = this.#writing;
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async #write({ javascript, python, secret }: LiveStatement): Promise<void> {
    const document = this.#document;
    if (!document) return;
    const isPython = document.languageId === 'python';
    const needsImport = secret && isPython && !/^\s*(?:import os\b|from os import)/m.test(document.getText());
    for (const line of needsImport ? ['import os', python] : [isPython ? python : javascript]) {
      await writeLine(await this.#show(document), line);
    }
  }

  async #show(document: vscode.TextDocument): Promise<vscode.TextEditor> {
    const visible = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
    return (
      visible ??
      (await vscode.window.showTextDocument(document, {
        ...(this.#column !== undefined && { viewColumn: this.#column }),
        preserveFocus: true,
      }))
    );
  }
}

/** Writes a line below that of the cursor, or in it if it is empty, and puts the cursor at its end. */
async function writeLine(editor: vscode.TextEditor, text: string): Promise<void> {
  const line = editor.document.lineAt(editor.selection.active.line);
  const indent = line.text.slice(0, line.firstNonWhitespaceCharacterIndex);
  const code = line.isEmptyOrWhitespace ? text : `\n${indent}${text}`;
  const done = await editor.edit((edit) => edit.insert(line.range.end, code), {
    undoStopBefore: true,
    undoStopAfter: true,
  });
  if (!done)
    throw new UserError(
      l10n.t("Couldn't write what was recorded: the editor is read-only. Open another file, then record again."),
    );
  const end = line.isEmptyOrWhitespace
    ? line.range.end.translate(0, text.length)
    : new vscode.Position(line.lineNumber + 1, indent.length + text.length);
  editor.selection = new vscode.Selection(end, end);
  // Its beginning: a long line would scroll the others out of sight.
  editor.revealRange(new vscode.Range(end.with({ character: 0 }), end.with({ character: 0 })));
}
