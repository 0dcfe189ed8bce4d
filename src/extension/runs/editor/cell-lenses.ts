import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { codeLens } from '../../ui/code-lens.ts';
import { commands, runnableLanguages } from '../../ui/ids.ts';
import { Disposables } from '../../ui/lifecycle.ts';
import { ownsCells, type RunFiles } from './cell-context.ts';
import { findCells, linesOf } from './cells.ts';

/** Shows "Run cell" above each cell, with "Run all" on the first one and "Run above" on the others. */
export class CellLenses extends Disposables implements vscode.CodeLensProvider {
  #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;

  #files: RunFiles;

  constructor(files: RunFiles) {
    super();
    this.#files = files;
    const languages = Object.keys(runnableLanguages).map((language) => ({ language }));
    const changed = () => this.#changed.fire();
    this.add(this.#changed);
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
