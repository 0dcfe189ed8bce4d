import * as vscode from 'vscode';
import { Disposables } from '../ui/lifecycle.ts';
import { NativeTypeScript } from './native/native.ts';
import { PythonTypes } from './python/python.ts';
import { TypeScriptPlugin } from './run-files-plugin.ts';
import { RunFilesStore } from './run-files-store.ts';

/** The runs of this window. */
interface Runs {
  onChange: {
    on(
      listener: (change: { kind: string; run?: { document?: string; language: string; state: string } }) => void,
    ): vscode.Disposable;
  };
}

interface Options {
  runs: Runs;
  state: vscode.Memento;
  /** Folder for files that the extension writes. */
  storage: vscode.Uri;
  /** Returns the data dir of the embedded service. */
  serviceFolder(): string;
  log: vscode.LogOutputChannel;
}

/** Types for the files that are run: the editor knows `page`, `context` and `browser` in them. */
export function registerTypes({ runs, state, storage, serviceFolder, log }: Options): vscode.Disposable {
  const disposables = new Disposables();
  const files = new RunFilesStore(state);
  const python = disposables.add(new PythonTypes({ files, storage, serviceFolder, log }));
  disposables.add(
    runs.onChange.on(({ kind, run }) => {
      if (kind === 'added' && run?.document && run.language !== 'bash') files.add(run.document);
      if (kind === 'changed' && run?.language === 'python' && run.state === 'ok')
        void python.playwrightMayBeInstalled();
    }),
  );
  disposables.add(
    vscode.workspace.onDidDeleteFiles((event) => {
      for (const uri of event.files) files.remove(uri.toString());
    }),
  );
  disposables.add(new TypeScriptPlugin(files, log));
  disposables.add(new NativeTypeScript({ files, log }));
  return disposables;
}
