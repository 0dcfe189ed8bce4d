import * as vscode from 'vscode';
import { commands, runnableLanguages, settings, settingsSection } from '../../ui/ids.ts';
import { readSetting } from '../../ui/settings.ts';
import { findCells } from './cells.ts';

/** Shows "Run cell" above each cell marker. */
export class CellLenses implements vscode.CodeLensProvider, vscode.Disposable {
  #changed = new vscode.EventEmitter<void>();
  #subscriptions: vscode.Disposable;
  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor() {
    const languages = Object.keys(runnableLanguages).map((language) => ({ language }));
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      vscode.languages.registerCodeLensProvider(languages, this),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#changed.fire()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration(`${settingsSection}.${settings.cellCodeLens}`)) this.#changed.fire();
      }),
    );
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!vscode.workspace.isTrusted || !readSetting('cellCodeLens', document.uri)) return [];
    return findCells(document.getText().split(/\r\n|\r|\n/)).map(({ startLine }) => {
      const range = new vscode.Range(startLine, 0, startLine, 0);
      const target = [document.uri.toString(), startLine];
      return new vscode.CodeLens(range, { title: '$(play) Run cell', command: commands.runCell, arguments: target });
    });
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}
