import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { insertCode } from '../ui/insert-code.ts';

/** The text editor that was used last: while a live view has the focus, none is active. */
export class LastEditor implements vscode.Disposable {
  #last = vscode.window.activeTextEditor?.document.uri.toString();
  #listener = vscode.window.onDidChangeActiveTextEditor((editor) => {
    if (editor && editor.document.uri.scheme !== 'output') this.#last = editor.document.uri.toString();
  });

  /** Undefined if it isn't visible. */
  get editor(): vscode.TextEditor | undefined {
    return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === this.#last);
  }

  /** Inserts a locator in the editor's language, and copies it. @returns what was done, in words */
  async insertLocator({ javascript, python }: { javascript: string; python: string }): Promise<string> {
    const { editor } = this;
    const text = editor?.document.languageId === 'python' ? python : javascript;
    await vscode.env.clipboard.writeText(text);
    if (!editor) return l10n.t('Copied: {0}', text);
    await insertCode(text, editor.document.languageId, editor);
    return l10n.t('Inserted and copied: {0}', text);
  }

  dispose(): void {
    this.#listener.dispose();
  }
}
