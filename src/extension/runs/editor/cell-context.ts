import * as vscode from 'vscode';
import { setContextKey } from '../../ui/commands.ts';
import { findMarker, trackMarker } from './cells.ts';

/** Keeps the context keys of the active editor's file: whether it has cells, and whether Shift+Enter runs them here. */
export function trackCells(files: RunFiles): vscode.Disposable {
  const activeDocument = () => vscode.window.activeTextEditor?.document;
  /** A line of the active document that starts a cell. */
  let marker: number | undefined;
  const show = () => {
    const document = activeDocument();
    const hasCells = document !== undefined && marker !== undefined;
    setContextKey('hasCells', hasCells);
    setContextKey('ownsCells', hasCells && ownsCells(document, files));
  };
  const look = () => {
    const document = activeDocument();
    marker = document && findMarker(document);
    show();
  };
  look();
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(look),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (document !== activeDocument() || contentChanges.length === 0) return;
      marker = trackMarker(document, marker, contentChanges);
      show();
    }),
    // A document whose language is changed is opened again.
    vscode.workspace.onDidOpenTextDocument(show),
    vscode.extensions.onDidChange(show),
    files.onChange.on(show),
  );
}

/** The files that were run here. */
export interface RunFiles {
  has(uri: string): boolean;
  onChange: { on(listener: () => void): vscode.Disposable };
}

/** Extensions that run the cells of Python files, and have keys for it. */
const others = ['ms-toolsai.jupyter', 'ms-python.python'];

/** Returns whether cells of a file run here rather than in another extension: in Python, once the file was run here. */
export function ownsCells(
  { languageId, uri }: Pick<vscode.TextDocument, 'languageId' | 'uri'>,
  files: RunFiles,
): boolean {
  if (languageId !== 'python' || files.has(uri.toString())) return true;
  return !others.some((id) => vscode.extensions.getExtension(id));
}
