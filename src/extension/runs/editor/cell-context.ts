import * as vscode from 'vscode';
import { setContextKey } from '../../ui/commands.ts';
import { hasCells } from './cells.ts';

/** Keeps the context key that enables the commands for cells: true while the active editor's file has cells. */
export function trackCells(): vscode.Disposable {
  const update = () => {
    const document = vscode.window.activeTextEditor?.document;
    setContextKey('hasCells', document !== undefined && hasCells(document.getText()));
  };
  update();
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(update),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document === vscode.window.activeTextEditor?.document) update();
    }),
  );
}
