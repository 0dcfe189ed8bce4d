import type * as vscode from 'vscode';
import { Disposables } from '../ui/lifecycle.ts';
import { PythonTypes, type PythonTypesOptions } from './python/python.ts';

/** The runs of this window. */
interface Runs {
  onChange: {
    on(
      listener: (change: { kind: string; run?: { document?: string; language: string; state: string } }) => void,
    ): vscode.Disposable;
  };
}

interface Options extends PythonTypesOptions {
  runs: Runs;
}

/** Adds each file that is run to those with types, and offers types for Python. */
export function registerRunTypes({ runs, files, storage, serviceFolder, log }: Options): vscode.Disposable {
  const disposables = new Disposables();
  const python = disposables.add(new PythonTypes({ files, storage, serviceFolder, log }));
  disposables.add(
    runs.onChange.on(({ kind, run }) => {
      if (kind === 'added' && run?.document && run.language !== 'bash') files.add(run.document);
      if (kind === 'changed' && run?.language === 'python' && run.state === 'ok')
        void python.playwrightMayBeInstalled();
    }),
  );
  return disposables;
}
