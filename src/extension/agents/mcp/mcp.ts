import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { EmbeddedClient } from '../../../client/client.ts';
import type { FeatureParts } from '../../connection/connection.ts';
import { registerCommand } from '../../ui/commands.ts';
import { say } from '../../ui/dialogs.ts';
import { commands } from '../../ui/ids.ts';
import { dateAndTime } from '../../ui/text/dates.ts';
import { label } from '../../ui/text/text.ts';
import { launcherName, writeLauncher } from './launcher.ts';

export interface McpParts extends FeatureParts {
  secrets: vscode.SecretStorage;
  /** Path of dist/service.cjs. */
  program: string;
}

/** Registers "Copy MCP Configuration…" and "Manage Agent Keys…". */
export function registerMcp({ connection, documents, secrets, program, log }: McpParts): vscode.Disposable {
  async function service(): Promise<EmbeddedClient> {
    const why = l10n.t('Tools for coding agents are available only with the embedded service.');
    return (await connection.embedded(why, true)).embedded;
  }

  const launcher = () => join(connection.dataDirectory, launcherName);
  // After an update, agents must start the new version.
  void writeLauncher(launcher(), program, { onlyIfPresent: true }).catch(() => undefined);

  return vscode.Disposable.from(
    registerCommand(commands.copyMcpConfiguration, log, async () => {
      const [embedded, { copyConfiguration }] = await Promise.all([service(), import('./copy-configuration.ts')]);
      const { dataDirectory } = connection;
      await copyConfiguration({ embedded, documents, dataDirectory, launcher: launcher(), program });
    }),
    registerCommand(commands.manageAgentKeys, log, async () => {
      const [embedded, { editAgentRules, rulesLine }, { ownKey }] = await Promise.all([
        service(),
        import('./agent-rules.ts'),
        import('./own-key.ts'),
      ]);
      const own = ownKey(secrets, () => connection.dataDirectory);
      await own.introduce(embedded);
      const { keys } = await embedded.listAgentKeys();
      const chosen = await vscode.window.showQuickPick(
        keys.map((key) => ({
          label: label(key.name),
          description: key.lastUsedAt
            ? l10n.t('last used {0}', dateAndTime(Date.parse(key.lastUsedAt)))
            : l10n.t('never used'),
          detail: rulesLine(key),
          key,
        })),
        {
          title: l10n.t('Manage Agent Keys'),
          placeHolder:
            keys.length > 0
              ? l10n.t('Select the key to change or revoke')
              : l10n.t('There are no agent keys. Run "Copy MCP Configuration…" to create one.'),
        },
      );
      if (!chosen || (await editAgentRules(embedded, chosen.key)) !== 'revoke') return;
      const { revokeKey } = await import('./copy-configuration.ts');
      const file = await revokeKey(embedded, connection.dataDirectory, chosen.key.id);
      await own.forget(chosen.key.id);
      say(
        file === undefined
          ? l10n.t('$(check) Key of {0} revoked', chosen.label)
          : l10n.t('$(check) Key of {0} revoked, and its configuration removed from {1}', chosen.label, label(file)),
      );
    }),
  );
}
