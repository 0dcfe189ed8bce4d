import * as vscode from 'vscode';

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

  dispose(): void {
    this.#listener.dispose();
  }
}
