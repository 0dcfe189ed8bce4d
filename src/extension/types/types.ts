import * as vscode from 'vscode';
import { setContextKey } from '../ui/commands.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { NativeTypeScript } from './native/native.ts';
import { TypeScriptPlugin } from './run-files-plugin.ts';
import { RunFilesStore } from './run-files-store.ts';

/** Types for the files that are run, so that the editor knows `page`, `context` and `browser` in them. */
export class SnippetTypes implements vscode.Disposable {
  readonly files: RunFilesStore;
  #disposables = new Disposables();

  constructor(state: vscode.Memento, log: vscode.LogOutputChannel) {
    const files = new RunFilesStore(state);
    this.files = files;
    const showFiles = () => setContextKey('ranFiles', [...files.files]);
    showFiles();
    this.#disposables.add(files.onChange.on(showFiles));
    this.#disposables.add(
      vscode.workspace.onDidDeleteFiles((event) => {
        for (const uri of event.files) files.remove(uri.toString());
      }),
    );
    this.#disposables.add(new TypeScriptPlugin(files, log));
    this.#disposables.add(new NativeTypeScript({ files, log }));
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
