import * as vscode from 'vscode';
import { Disposables } from '../ui/lifecycle.ts';
import { RunFilesStore } from './run-files-store.ts';
import { TypeScriptPlugin } from './typescript-plugin.ts';

/** The runs of this window. */
interface Runs {
  onChange: {
    on(listener: (change: { kind: string; run?: { document?: string; language: string } }) => void): vscode.Disposable;
  };
}

interface Options {
  runs: Runs;
  state: vscode.Memento;
  log: vscode.LogOutputChannel;
}

/** Types for the files that are run: the editor knows `page`, `context` and `browser` in them. */
export function registerTypes({ runs, state, log }: Options): vscode.Disposable {
  const disposables = new Disposables();
  const files = new RunFilesStore(state);
  disposables.add(
    runs.onChange.on(({ kind, run }) => {
      if (kind === 'added' && run?.document && run.language !== 'bash') files.add(run.document);
    }),
  );
  disposables.add(
    vscode.workspace.onDidDeleteFiles((event) => {
      for (const uri of event.files) files.remove(uri.toString());
    }),
  );
  disposables.add(new TypeScriptPlugin(files, log));
  return disposables;
}
