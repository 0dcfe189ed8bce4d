import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { EmbeddedClient } from '../../../client/client.ts';
import type { Connection } from '../../connection/connection.ts';
import { registerCommand, requireTrust, UserError } from '../../ui/commands.ts';
import { commands } from '../../ui/ids.ts';
import { Signal } from '../../ui/lifecycle.ts';
import { dateAndTime } from '../../ui/text/dates.ts';
import { label, messageOf } from '../../ui/text/text.ts';
import { launcherName, writeLauncher } from './launcher.ts';
import { takeOverMcp } from './mcp-stand-in.ts';
import { OwnKey } from './own-key.ts';

export interface McpParts {
  connection: Connection;
  secrets: vscode.SecretStorage;
  /** Path of dist/service.cjs. */
  program: string;
  log: vscode.LogOutputChannel;
}

/** Registers the server for VS Code's agents, "Copy MCP Configuration" and "Manage Agent Keys…". */
export function registerMcp({ connection, secrets, program, log }: McpParts): vscode.Disposable {
  async function service(): Promise<{ embedded: EmbeddedClient; baseUrl: string }> {
    requireTrust();
    const { target } = connection;
    if (target.kind === 'server') {
      throw new UserError(
        l10n.t(
          "This window can't set up tools for coding agents on {0}. Use the embedded service.",
          label(target.host),
        ),
        [{ title: l10n.t('Use Embedded Service'), command: commands.useEmbeddedService }],
      );
    }
    const { embedded, baseUrl } = await connection.access();
    if (!embedded) throw new UserError(l10n.t('Tools for coding agents are available only with the embedded service.'));
    return { embedded, baseUrl };
  }

  const ownKey = new OwnKey(secrets, () => connection.dataDirectory);
  const onDidChange = new Signal<void>();
  /** What VS Code was told last; undefined once it was told that this has changed. */
  let told: { baseUrl: string; keyId: string } | undefined;
  let telling: Promise<{ url: string; key: string }> | undefined;

  async function address(): Promise<{ url: string; key: string }> {
    told = undefined;
    const [{ embedded, baseUrl }, { mcpPath }] = await Promise.all([service(), import('../../../contract/mcp/mcp.ts')]);
    const { id, key } = await ownKey.get(embedded);
    told = { baseUrl, keyId: id };
    // The service or the key may have changed meanwhile.
    checkQuietly();
    return { url: `${baseUrl}${mcpPath}`, key };
  }

  /** Tells VS Code if the service that it knows has another address or key, or no longer runs. */
  async function check(): Promise<void> {
    const before = told;
    if (!before) return;
    const [access, stored] = await Promise.all([connection.existingAccess().catch(() => undefined), ownKey.stored()]);
    if (told !== before || (access?.baseUrl === before.baseUrl && stored?.id === before.keyId)) return;
    told = undefined;
    onDidChange.fire();
  }
  const checkQuietly = () =>
    void check().catch((error: unknown) => log.warn(`Agents: couldn't read the secret storage: ${messageOf(error)}`));

  const launcher = () => join(connection.dataDirectory, launcherName);
  // After an update, agents must start the new version.
  void writeLauncher(launcher(), program, { onlyIfPresent: true }).catch(() => undefined);

  return vscode.Disposable.from(
    takeOverMcp({
      onDidChange,
      address: () => {
        telling ??= address().finally(() => {
          telling = undefined;
        });
        return telling;
      },
    }),
    connection.onDidChange.on(checkQuietly),
    ownKey.onDidChange(checkQuietly),
    registerCommand(commands.copyMcpConfiguration, log, async () => {
      const [{ embedded }, { agentPrograms, mcpConfiguration }] = await Promise.all([
        service(),
        import('./configuration.ts'),
      ]);
      const chosen = await vscode.window.showQuickPick(
        agentPrograms.map((agent) => ({ label: agent.name, description: agent.file, agent })),
        { title: l10n.t('Copy MCP Configuration'), placeHolder: l10n.t('Which coding agent should use Web Data?') },
      );
      if (!chosen) return;
      const { agent } = chosen;
      await writeLauncher(launcher(), program);
      const { key } = await embedded.createAgentKey({ body: { name: agent.name } });
      const { dataDirectory } = connection;
      const command = { execPath: process.execPath, launcher: launcher(), dataDirectory, key };
      await vscode.env.clipboard.writeText(mcpConfiguration(agent, command));
      const text = l10n.t('$(check) MCP configuration copied, with its own key. Paste it into {0}', agent.file);
      void vscode.window.setStatusBarMessage(text, 10_000);
    }),
    registerCommand(commands.manageAgentKeys, log, async () => {
      const [{ embedded }, { editAgentRules, rulesLine }] = await Promise.all([service(), import('./agent-rules.ts')]);
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
      await embedded.revokeAgentKey({ params: { keyId: chosen.key.id } });
      void vscode.window.setStatusBarMessage(l10n.t('$(check) Key of {0} revoked', chosen.label), 5_000);
      await ownKey.forget(chosen.key.id);
    }),
  );
}
