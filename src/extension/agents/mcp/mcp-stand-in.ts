import * as vscode from 'vscode';
import { targetOf } from '../../connection/target.ts';
import { type Disposable, Disposables, type Signal } from '../../ui/lifecycle.ts';
import { onSettingChanged, readSetting } from '../../ui/settings.ts';
import { StandIn, takeOver } from '../../ui/stand-ins/stand-ins.ts';
import { messageOf } from '../../ui/text/text.ts';

/** ID of the provider in package.json. */
export const mcpProviderId = 'webdata.mcp';

/** Where the service's tools for agents are, once it runs. */
export interface McpPart {
  /** Starts the service if necessary. */
  address(): Promise<{ url: string; key: string }>;
  /** The last address or its key is no longer the right one. */
  readonly onDidChange: Signal<void>;
}

/**
 * Offers the embedded service's tools to VS Code's agents, if the editor has them. Nothing starts until an agent uses them;
 * for another server there is nothing to offer.
 */
export function standInForMcp(version: string, load: () => Promise<void>, log: vscode.LogOutputChannel): Disposable {
  const disposables = new Disposables();
  try {
    if (typeof vscode.lm?.registerMcpServerDefinitionProvider !== 'function') return disposables;
    const changed = disposables.add(new vscode.EventEmitter<void>());
    let changes = 0;
    const standIn = disposables.add(
      new StandIn<McpPart>(mcpProviderId, load, (part) => {
        disposables.add(
          part.onDidChange.on(() => {
            changes++;
            changed.fire();
          }),
        );
      }),
    );
    disposables.add(onSettingChanged(['serverBaseUrl'], () => changed.fire()));
    disposables.add(vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()));
    const provider: vscode.McpServerDefinitionProvider<vscode.McpHttpServerDefinition> = {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () => {
        if (!vscode.workspace.isTrusted || targetOf(readSetting('serverBaseUrl')).kind === 'server') return [];
        // The port is known only once the service runs. VS Code connects again only if the definition differs.
        const place = vscode.Uri.parse(`http://127.0.0.1/mcp${changes > 0 ? `#${changes}` : ''}`);
        return [new vscode.McpHttpServerDefinition('Web Data', place, {}, version)];
      },
      resolveMcpServerDefinition: async (server) => {
        const { url, key } = await (await standIn.part()).address();
        server.uri = vscode.Uri.parse(url);
        server.headers = { Authorization: `Bearer ${key}` };
        return server;
      },
    };
    disposables.add(vscode.lm.registerMcpServerDefinitionProvider(mcpProviderId, provider));
  } catch (error) {
    log.warn(`Agents: couldn't register with VS Code: ${messageOf(error)}`);
  }
  return disposables;
}

/** An editor without the API has no stand-in: nothing asks for the part there. */
export function takeOverMcp(part: McpPart): Disposable {
  return takeOver(mcpProviderId, part, () => ({ dispose: () => undefined }));
}
