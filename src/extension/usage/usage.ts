import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type Events, requests, type UsageAction } from '../../webviews/usage/messages.ts';
import type { FeatureParts } from '../connection/connection.ts';
import { ServerPoll } from '../connection/polling/polling.ts';
import { registerCommand, UserError } from '../ui/commands.ts';
import { say } from '../ui/dialogs.ts';
import { commands, views } from '../ui/ids.ts';
import { WebviewView } from '../ui/webview-host.ts';
import { UsageStore } from './usage-store.ts';
import { shownUsage, usageRows } from './usage-texts.ts';

const pollMs = 5 * 60_000;

interface Parts extends Pick<FeatureParts, 'connection' | 'log'> {
  extensionUri: vscode.Uri;
}

/** The "Usage" view: a chart and a table of tokens and credits by month. */
export function registerUsage(parts: Parts): vscode.Disposable {
  const { connection, log } = parts;
  const store = new UsageStore();
  const poll = new ServerPoll({
    name: l10n.t('Usage'),
    connection,
    store,
    viewId: views.usage,
    log,
    pollMs: () => pollMs,
    read: async ({ client }) => {
      const { byApiKey } = store;
      const { periods } = await client.getTokenUsage({ query: { byApiKey } }, { retries: 0 });
      return () => {
        if (store.byApiKey === byApiKey) store.setPeriods(periods);
      };
    },
  });
  const send = () => {
    const embedded = connection.target.kind === 'embedded';
    view.send('usage', shownUsage(store, { embedded, now: Date.now() }));
  };
  const view = new WebviewView<Events, typeof requests>({
    ...parts,
    id: views.usage,
    title: l10n.t('Usage'),
    bundle: 'usage',
    requests,
    handlers: { act: ({ action }) => vscode.commands.executeCommand(actionCommands[action]) },
    onReady: send,
    onVisible: (visible) => poll.policy.setVisible(visible),
  });
  return vscode.Disposable.from(
    poll,
    view,
    store.onChange.on(send),
    registerCommand(commands.toggleUsageByApiKey, log, () => {
      store.setByApiKey(!store.byApiKey);
      poll.policy.request('command');
    }),
    registerCommand(commands.copyUsageCsv, log, async () => {
      if (store.months.length === 0)
        throw new UserError(l10n.t("There's no usage to copy. Open the Usage view first."));
      const { csvOf } = await import('../ui/text/csv.ts');
      await vscode.env.clipboard.writeText(csvOf(usageRows(store)));
      say(l10n.t('$(check) Usage copied as CSV'));
    }),
  );
}

const actionCommands: Readonly<Record<UsageAction, string>> = {
  read: commands.refresh,
  connect: commands.connectToServer,
  scrape: commands.scrapeUrl,
  trust: 'workbench.trust.manage',
};
