import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { inBackground, setContextKey } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { label } from '../ui/text/text.ts';
import type { WatchRows } from '../ui/tree-rows.ts';
import { CheckReader } from './check-reader.ts';
import { type News, WatchNotices } from './notices.ts';
import { registerWatchCommands, type WatchParts } from './watch-commands.ts';
import { differing, foundText } from './watch-texts.ts';
import { PolledWatches } from './watches-store.ts';
import { WatchesTree } from './watches-tree.ts';

interface Parts extends Pick<WatchParts, 'connection' | 'documents' | 'webhookUrl' | 'crawl' | 'reveal' | 'log'> {
  /** Shared by all windows. */
  state: vscode.Memento;
}

/** Registers the commands of watches of pages, sites and searches, and tells what those with notices find. */
export function registerWatches({ state, ...parts }: Parts) {
  const { connection, reveal, log } = parts;
  const disposables = new Disposables();
  const notices = new WatchNotices(state, () => connection.target);
  const tell = async (news: readonly News[]) => {
    const [first] = news;
    if (!first) return;
    const open = l10n.t('Open');
    const text =
      news.length === 1
        ? l10n.t('Web Data: {0}: {1}', label(first.name, 60), foundText(first.check.summary))
        : l10n.t('Web Data: {0} watches found changes, such as {1}.', news.length, label(first.name, 60));
    if ((await vscode.window.showInformationMessage(text, open)) !== open) return;
    const { id: checkId, summary } = first.check;
    if (news.length === 1 && differing(summary) === 1 && summary.removed === 0) {
      await vscode.commands.executeCommand(commands.openChange, { watchId: first.watchId, checkId });
    } else await reveal(tree.row(first.watchId));
  };
  const watches = disposables.add(
    new PolledWatches({
      connection,
      log,
      notices,
      onNews: (news) => inBackground('Watch', tell(news), log),
    }),
  );
  const checks = new CheckReader(async () => (await connection.access()).client);
  disposables.add(connection.onDidChange.on(() => checks.clear()));
  const tree = new WatchesTree(watches, checks, notices);
  const showState = () => setContextKey('hasWatches', watches.store.watches.length > 0);
  disposables.add(watches.store.onChange.on(showState));
  disposables.add(registerWatchCommands({ ...parts, watches, tree, notices }));
  return { rows: tree as WatchRows, dispose: (): void => disposables.dispose() };
}
