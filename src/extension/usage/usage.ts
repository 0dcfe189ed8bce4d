import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type Events, requests, type UsageAction } from '../../webviews/usage/messages.ts';
import type { FeatureParts } from '../connection/connection.ts';
import { ServerPoll } from '../connection/polling/polling.ts';
import { registerCommand, UserError } from '../ui/commands.ts';
import { say } from '../ui/dialogs.ts';
import { type CommandId, commands, views } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { WebviewView } from '../ui/webview-host.ts';
import { UsageStore } from './usage-store.ts';
import { shownUsage, usageRows } from './usage-texts.ts';

const pollMs = 5 * 60_000;

interface Parts extends Pick<FeatureParts, 'connection' | 'log'> {
  extensionUri: vscode.Uri;
}

/** The "Usage" view: a chart and a table of tokens and credits by month. */
export class UsageView extends Disposables {
  #store = new UsageStore();
  #poll: ServerPoll;
  #parts: Parts;
  #view: WebviewView<Events, typeof requests>;

  constructor(parts: Parts) {
    super();
    const { connection, log } = parts;
    this.#parts = parts;
    this.#poll = this.add(
      new ServerPoll({
        name: l10n.t('Usage'),
        connection,
        store: this.#store,
        viewId: views.usage,
        log,
        pollMs: () => pollMs,
        read: async ({ client }) => {
          const { byApiKey } = this.#store;
          const { limits } = await import('../../contract/limits.ts');
          const { periods } = await client.getTokenUsage({ query: { byApiKey } }, { retries: 0 });
          return () => {
            if (this.#store.byApiKey === byApiKey) this.#store.setPeriods(periods, limits.tokensPerCredit);
          };
        },
      }),
    );
    this.#view = this.add(
      new WebviewView<Events, typeof requests>({
        ...parts,
        id: views.usage,
        title: l10n.t('Usage'),
        bundle: 'usage',
        requests,
        handlers: { act: ({ action }) => vscode.commands.executeCommand(actionCommands[action]) },
        onReady: () => this.#send(),
        onVisible: (visible) => this.#poll.policy.setVisible(visible),
      }),
    );
    this.add(this.#store.onChange.on(() => this.#send()));
    this.#registerCommands();
  }

  #registerCommands(): void {
    const command = (id: CommandId, run: () => unknown) => this.add(registerCommand(id, this.#parts.log, run));
    command(commands.toggleUsageByApiKey, () => {
      this.#store.setByApiKey(!this.#store.byApiKey);
      this.#poll.policy.request('command');
    });
    command(commands.copyUsageCsv, async () => {
      if (this.#store.months.length === 0)
        throw new UserError(l10n.t("There's no usage to copy. Open the Usage view first."));
      const { csvOf } = await import('../ui/text/csv.ts');
      await vscode.env.clipboard.writeText(csvOf(usageRows(this.#store)));
      say(l10n.t('$(check) Usage copied as CSV'));
    });
  }

  #send(): void {
    const embedded = this.#parts.connection.target.kind === 'embedded';
    this.#view.send('usage', shownUsage(this.#store, { embedded, now: Date.now() }));
  }
}

const actionCommands: Readonly<Record<UsageAction, string>> = {
  read: commands.refresh,
  connect: commands.connectToServer,
  scrape: commands.scrapeUrl,
  trust: 'workbench.trust.manage',
};
