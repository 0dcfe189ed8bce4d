import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { EmbeddedClient } from '../../../client/client.ts';
import { agentKeyId } from '../../../contract/mcp/agent-key-id.ts';
import { agentKeyPrefix } from '../../../contract/mcp/mcp.ts';
import { shorten } from '../../../contract/shorten.ts';
import { UserError } from '../../ui/commands.ts';
import { confirm, say } from '../../ui/dialogs.ts';
import { messageOf } from '../../ui/text/text.ts';
import type { VirtualDocuments } from '../../ui/virtual-documents/virtual-documents.ts';
import { type AgentProgram, agentPrograms, type ServerCommand, serverEntry } from './configuration.ts';
import { NotEditable, withEntry } from './configuration-text.ts';
import { keyFilePath, readText, realPathOf, undoConfiguration, writeConfiguration, writeKeyFile } from './key-files.ts';
import { writeLauncher } from './launcher.ts';

export interface CopyParts {
  embedded: EmbeddedClient;
  documents: VirtualDocuments;
  dataDirectory: string;
  launcher: string;
  /** Path of dist/service.cjs. */
  program: string;
}

/** Asks for a coding agent, and copies its configuration or adds it to its file. */
export async function copyConfiguration(parts: CopyParts): Promise<void> {
  const chosen = await vscode.window.showQuickPick(
    agentPrograms.map((agent) => ({ label: agent.name, description: agent.file, agent })),
    { title: l10n.t('Copy MCP Configuration'), placeHolder: l10n.t('Which coding agent should use Web Data?') },
  );
  if (!chosen) return;
  const { agent } = chosen;
  const root = rootOf(agent);
  const copy = { label: l10n.t('$(copy) Copy to Clipboard'), description: l10n.t('for {0}', agent.file), add: false };
  const add = {
    label: l10n.t('$(add) Add to {0}…', agent.file),
    description: l10n.t('shows the change first'),
    add: true,
  };
  const way = root === undefined ? copy : await vscode.window.showQuickPick([copy, add], { title: agent.name });
  if (!way) return;
  if (way.add && root !== undefined) await addTo(root, agent, parts);
  else await copyText(agent, parts);
}

/** Revokes a key, and takes the configuration that was written with it out of its file. Returns the path of that file. */
export async function revokeKey(
  embedded: EmbeddedClient,
  dataDirectory: string,
  keyId: string,
): Promise<string | undefined> {
  await embedded.revokeAgentKey({ params: { keyId } });
  try {
    return await undoConfiguration(keyFilePath(dataDirectory, keyId));
  } catch (error) {
    throw new UserError(
      l10n.t("The key was revoked, but its configuration couldn't be removed: {0}", messageOf(error)),
    );
  }
}

async function copyText(agent: AgentProgram, parts: CopyParts): Promise<void> {
  const { command, store } = await makeKey(agent, parts);
  await store();
  await vscode.env.clipboard.writeText(withEntry(undefined, agent.format, serverEntry(agent, command)));
  const text = l10n.t('$(check) MCP configuration copied, with its own key. Paste it into {0}', agent.file);
  say(text, 10_000);
}

async function addTo(root: string, agent: AgentProgram, parts: CopyParts): Promise<void> {
  const { embedded, documents, dataDirectory } = parts;
  const { command, keyFile, id, key, store } = await makeKey(agent, parts);
  const ownName = agent.file.replace(/^~\//, '');
  const path = await realPathOf(join(root, ownName));
  // A link in a workspace may lead anywhere: what is asked about is the file that changes.
  const name = path === join(await realPathOf(root), ownName) ? agent.file : path;
  const before = await readText(path);
  let after: string;
  try {
    after = withEntry(before, agent.format, serverEntry(agent, command));
  } catch (error) {
    if (!(error instanceof NotEditable)) throw error;
    throw new UserError(
      l10n.t("{0} can't be changed: {1} Copy the configuration instead.", shorten(path), messageOf(error)),
    );
  }
  const [shownBefore, shownAfter] = [before ?? '', after].map((text, index) =>
    documents.hold(`mcp/${index === 0 ? 'before' : 'after'}/${ownName}`, text),
  );
  await vscode.commands.executeCommand('vscode.diff', shownBefore, shownAfter, l10n.t('Change to {0}', name));
  const detail = l10n.t(
    'The change to {0} is shown in the editor. Nothing else in the file changes, and no key is written to it. To undo the change, revoke the key with "Manage Agent Keys…".',
    path,
  );
  const question = l10n.t('Add Web Data to {0}?', name);
  const allowed = await confirm(question, l10n.t('Add'), detail, vscode.window.showInformationMessage);
  await closeTab(shownAfter);
  if (!allowed) return;
  await store();
  try {
    const written = await writeConfiguration(path, agent.format, before, after);
    await writeKeyFile(keyFile, { key, written });
  } catch (error) {
    await revokeKey(embedded, dataDirectory, id);
    throw error;
  }
  const [open, undo] = [l10n.t('Open File'), l10n.t('Undo')];
  const next = await vscode.window.showInformationMessage(l10n.t('Web Data was added to {0}.', name), open, undo);
  if (next === open) await vscode.window.showTextDocument(vscode.Uri.file(path));
  if (next === undo) await revokeKey(embedded, dataDirectory, id);
}

/** Makes a key for an agent. `store` makes it known to the service and writes its file. */
async function makeKey(agent: AgentProgram, { embedded, dataDirectory, launcher, program }: CopyParts) {
  const key = agentKeyPrefix + randomBytes(32).toString('base64url');
  const id = agentKeyId(key);
  const keyFile = keyFilePath(dataDirectory, id);
  const command: ServerCommand = { execPath: process.execPath, launcher, dataDirectory, keyFile };
  const store = async () => {
    await writeLauncher(launcher, program);
    await writeKeyFile(keyFile, { key });
    await embedded.createAgentKey({ body: { name: agent.name, key } });
  };
  return { key, id, keyFile, command, store };
}

/** Returns the folder that the configuration of a program is in; undefined if it differs between systems, or none is open. */
function rootOf({ place }: AgentProgram): string | undefined {
  if (place === 'home') return homedir();
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
  return place === 'folder' ? folder?.uri.fsPath : undefined;
}

async function closeTab(document: vscode.Uri | undefined): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const shown = tabs.filter(
    ({ input }) => (input as { modified?: vscode.Uri }).modified?.toString() === document?.toString(),
  );
  if (shown.length > 0) await vscode.window.tabGroups.close(shown);
}
