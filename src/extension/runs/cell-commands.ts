import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { codeLens } from '../ui/code-lens.ts';
import { registerCommand, requireTrust, UserError } from '../ui/commands.ts';
import { commands, runnableLanguages } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { ownsCells, type RunFiles } from './editor/cell-context.ts';
import { cellAt, findCells, linesOf } from './editor/cells.ts';
import { cellSnippets, type Snippet, type SourceFile } from './editor/snippet.ts';
import type { RunSummary } from './run-commands.ts';

interface Parts {
  run(document: vscode.TextDocument, snippet: Snippet): Promise<RunSummary>;
  sourceOf(document: vscode.TextDocument): SourceFile;
  /** The files that were run. */
  files: RunFiles;
  log: vscode.LogOutputChannel;
}

/** Registers the commands that run cells, the CodeLens above each cell and the context key of files with cells. */
export function registerCellCommands(parts: Parts): vscode.Disposable {
  const { run, sourceOf, log } = parts;
  return vscode.Disposable.from(
    registerCommand(commands.runCell, log, async (uri?: unknown, line?: unknown) => {
      const { document, snippets, index } = targetOf(uri, line, sourceOf);
      return await run(document, cellOf(snippets, index));
    }),
    registerCommand(commands.runAllCells, log, async (uri?: unknown) => {
      const { document, snippets } = targetOf(uri, undefined, sourceOf);
      return await runInOrder(parts, document, snippets.length);
    }),
    registerCommand(commands.runCellsAbove, log, async (uri?: unknown, line?: unknown) => {
      const { document, snippets, index } = targetOf(uri, line, sourceOf);
      cellOf(snippets, index);
      if (index === 0) throw new UserError(l10n.t('There are no cells above the first one.'));
      return await runInOrder(parts, document, index);
    }),
    registerCommand(commands.runCellAndMoveToNext, log, async () => {
      const { document, snippets, index } = targetOf(undefined, undefined, sourceOf);
      const running = run(document, cellOf(snippets, index));
      const next = snippets[index + 1];
      const editor = vscode.window.activeTextEditor;
      if (next && editor?.document === document) moveTo(editor, next);
      return await running;
    }),
    new CellLenses(parts.files),
  );
}

/** Runs the first `count` cells one after the other, each as it is by then. Stops at one that doesn't succeed. */
async function runInOrder(
  { run, sourceOf }: Parts,
  document: vscode.TextDocument,
  count: number,
): Promise<RunSummary[]> {
  const done: RunSummary[] = [];
  for (let index = 0; index < count; index++) {
    const snippet = cellSnippets(sourceOf(document))[index];
    if (!snippet || document.isClosed) break;
    const summary = await run(document, snippet);
    done.push(summary);
    if (summary.state !== 'ok') break;
  }
  return done;
}

/** Moves the cursor to the first line of code of a cell. */
function moveTo(editor: vscode.TextEditor, { start, text, lastLine }: Snippet): void {
  const lines = linesOf(text);
  const isCode = (line: string, index: number) =>
    line.trim() !== '' && !(index === 0 && /^\s*(?:\/\/|#)\s*%%/.test(line));
  const line = start.line + Math.max(0, lines.findIndex(isCode));
  editor.selection = new vscode.Selection(line, 0, line, 0);
  editor.revealRange(new vscode.Range(start.line, 0, lastLine, 0), vscode.TextEditorRevealType.Default);
}

interface Target {
  document: vscode.TextDocument;
  snippets: Snippet[];
  /** Index of the cell; -1 if it no longer exists. */
  index: number;
}

/** Returns the cells of a document and the one that a command is for: of a CodeLens, else at the cursor. */
function targetOf(uri: unknown, line: unknown, sourceOf: Parts['sourceOf']): Target {
  requireTrust();
  const editor = vscode.window.activeTextEditor;
  if (typeof uri === 'string') {
    const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri);
    if (!document)
      throw new UserError(l10n.t('The file of this cell is no longer open. Open it, then run the cell again.'));
    const snippets = cellSnippets(sourceOf(document));
    return { document, snippets, index: snippets.findIndex(({ start }) => start.line === line) };
  }
  if (!editor) throw new UserError(l10n.t('No editor is open. Open a file to run its cells.'));
  const { document, selection } = editor;
  const source = sourceOf(document);
  const cell = cellAt(linesOf(source.text), selection.active.line);
  if (!cell)
    throw new UserError(l10n.t('This file has no cells. Start one with a line such as // %% title, or # %% title.'));
  return { document, snippets: cellSnippets(source), index: cell.index };
}

function cellOf(snippets: readonly Snippet[], index: number): Snippet {
  const snippet = snippets[index];
  if (!snippet) throw new UserError(l10n.t('This cell no longer exists. Put the cursor in a cell and run it.'));
  return snippet;
}

/** Shows "Run cell" above each cell, with "Run all" on the first one and "Run above" on the others. */
export class CellLenses extends Disposables implements vscode.CodeLensProvider {
  #changed = this.add(new vscode.EventEmitter<void>());
  readonly onDidChangeCodeLenses = this.#changed.event;

  #files: RunFiles;

  constructor(files: RunFiles) {
    super();
    this.#files = files;
    const languages = Object.keys(runnableLanguages).map((language) => ({ language }));
    const changed = () => this.#changed.fire();
    this.add(vscode.languages.registerCodeLensProvider(languages, this));
    this.add(vscode.workspace.onDidGrantWorkspaceTrust(changed));
    this.add(vscode.extensions.onDidChange(changed));
    this.add(files.onChange.on(changed));
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!vscode.workspace.isTrusted || !ownsCells(document, this.#files)) return [];
    return findCells(linesOf(document.getText())).flatMap(({ startLine, index }) => {
      const range = new vscode.Range(startLine, 0, startLine, 0);
      const target = [document.uri.toString(), startLine];
      const lens = (title: string, command: string) => codeLens(range, { title, command, arguments: target });
      return [
        lens(l10n.t('$(play) Run cell'), commands.runCell),
        index === 0 ? lens(l10n.t('Run all'), commands.runAllCells) : lens(l10n.t('Run above'), commands.runCellsAbove),
      ];
    });
  }
}
