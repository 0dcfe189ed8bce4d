import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { EmbeddedClient } from '../../../client/client.ts';
import type { Connection } from '../../connection/connection.ts';
import { registerCommand, requireTrust, UserError } from '../../ui/commands.ts';
import { dateAndTime } from '../../ui/dates.ts';
import { commands } from '../../ui/ids.ts';
import { label } from '../../ui/text.ts';
import { launcherName, writeLauncher } from './launcher.ts';
import { takeOverMcp } from './mcp-stand-in.ts';

export interface McpParts {
  connection: Connection;
  secrets: vscode.SecretStorage;
  /** Path of dist/service.cjs. */
  program: string;
  log: vscode.LogOutputChannel;
}

/** Where the key of VS Code's own agents is kept, as JSON with its ID. */
const ownKeySecret = 'webdata.agentKey';
const ownKeyName = 'VS Code';

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

  /** Returns the key that VS Code's own agents use; it can be revoked like those of others. */
  async function ownKey(embedded: EmbeddedClient): Promise<string> {
    const stored = readKey(await secrets.get(ownKeySecret));
    const { keys } = await embedded.listAgentKeys();
    if (stored && keys.some(({ id }) => id === stored.id)) return stored.key;
    const { id, key } = await embedded.createAgentKey({ body: { name: ownKeyName } });
    await secrets.store(ownKeySecret, JSON.stringify({ id, key }));
    return key;
  }

  const launcher = () => join(connection.dataDirectory, launcherName);
  // After an update, agents must start the new version.
  void writeLauncher(launcher(), program, { onlyIfPresent: true }).catch(() => undefined);

  return vscode.Disposable.from(
    takeOverMcp({
      async address() {
        const [{ embedded, baseUrl }, { mcpPath }] = await Promise.all([service(), import('../../../contract/mcp.ts')]);
        return { url: `${baseUrl}${mcpPath}`, key: await ownKey(embedded) };
      },
    }),
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
      const { key } = await embedded.createAgentKey({ body: { name: agent.name } });
      await writeLauncher(launcher(), program);
      const { dataDirectory } = connection;
      const command = { execPath: process.execPath, launcher: launcher(), dataDirectory, key };
      await vscode.env.clipboard.writeText(mcpConfiguration(agent, command));
      const text = l10n.t('$(check) MCP configuration copied, with its own key. Paste it into {0}', agent.file);
      void vscode.window.setStatusBarMessage(text, 10_000);
    }),
    registerCommand(commands.manageAgentKeys, log, async () => {
      const { embedded } = await service();
      const { keys } = await embedded.listAgentKeys();
      const chosen = await vscode.window.showQuickPick(
        keys.map((key) => ({
          label: label(key.name),
          description: key.lastUsedAt
            ? l10n.t('last used {0}', dateAndTime(Date.parse(key.lastUsedAt)))
            : l10n.t('never used'),
          key,
        })),
        {
          title: l10n.t('Revoke Agent Key'),
          placeHolder:
            keys.length > 0
              ? l10n.t('Select the key to revoke')
              : l10n.t('There are no agent keys. Run "Copy MCP Configuration…" to create one.'),
        },
      );
      if (!chosen) return;
      await embedded.revokeAgentKey({ params: { keyId: chosen.key.id } });
      void vscode.window.setStatusBarMessage(l10n.t('$(check) Key of {0} revoked', chosen.label), 5_000);
    }),
  );
}

function readKey(text: string | undefined): { id: string; key: string } | undefined {
  try {
    const { id, key } = JSON.parse(text ?? '');
    return typeof id === 'string' && typeof key === 'string' ? { id, key } : undefined;
  } catch {
    return undefined;
  }
}
