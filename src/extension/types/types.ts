import * as vscode from 'vscode';
import { setContextKey } from '../ui/commands.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { NativeTypeScript } from './native/native.ts';
import { TypeScriptPlugin } from './run-files-plugin.ts';
import { RunFilesStore } from './run-files-store.ts';

/** Types for the files that are run, so that the editor knows `page`, `context` and `browser` in them. */
export class SnippetTypes extends Disposables {
  readonly files: RunFilesStore;

  constructor(state: vscode.Memento, log: vscode.LogOutputChannel) {
    super();
    const files = new RunFilesStore(state);
    this.files = files;
    const showFiles = () => setContextKey('ranFiles', [...files.files]);
    showFiles();
    this.add(files.onChange.on(showFiles));
    this.add(
      vscode.workspace.onDidDeleteFiles((event) => {
        for (const uri of event.files) files.remove(uri.toString());
      }),
    );
    this.add(new TypeScriptPlugin(files, log));
    this.add(new NativeTypeScript({ files, log }));
  }
}
