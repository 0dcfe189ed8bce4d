import type * as vscode from 'vscode';
import { Disposables } from '../ui/lifecycle.ts';
import { fromHistory, toHistory } from './run-history.ts';
import type { RunStore } from './run-store.ts';

const slot = 'webdata.runs';
const writeAfterMs = 500;

/** Brings back the runs of this workspace's last window, and keeps those of this one for the next. */
export function keepHistory(store: RunStore, memento: vscode.Memento): vscode.Disposable {
  const disposables = new Disposables();
  let timer: NodeJS.Timeout | undefined;
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    void memento.update(slot, toHistory(store.runs));
  };
  store.restore(fromHistory(memento.get(slot)));
  disposables.add(
    store.onChange.on((change) => {
      if (change.kind === 'output') return;
      // A window may go away right after a run: what ended is kept at once.
      if (change.kind === 'changed' && change.run.state !== 'running') write();
      else timer ??= setTimeout(write, writeAfterMs);
    }),
  );
  disposables.add({ dispose: () => timer && write() });
  return disposables;
}
