import * as vscode from 'vscode';
import { targetOf } from '../../connection/target.ts';
import { type Disposable, Disposables } from '../../ui/lifecycle.ts';
import { onSettingChanged, readSetting } from '../../ui/settings.ts';
import { messageOf } from '../../ui/text/text.ts';

/** ID of the provider in package.json. */
export const mcpProviderId = 'webdata.mcp';

/**
 * Offers the embedded service's tools to VS Code's agents, if the editor has them. The definition is complete as it is
 * provided, because VS Code's Agent Host never has one resolved. Nothing starts until an agent uses it; for another server
 * there is nothing to offer.
 */
export function offerMcp(
  context: Pick<vscode.ExtensionContext, 'asAbsolutePath' | 'extension' | 'globalStorageUri' | 'secrets'>,
  log: vscode.LogOutputChannel,
): Disposable {
  const disposables = new Disposables();
  try {
    if (typeof vscode.lm?.registerMcpServerDefinitionProvider !== 'function') return disposables;
    const changed = disposables.add(new vscode.EventEmitter<void>());
    const change = () => changed.fire();
    let isWatching = false;
    const provider: vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition> = {
      onDidChangeMcpServerDefinitions: changed.event,
      async provideMcpServerDefinitions() {
        if (!vscode.workspace.isTrusted || targetOf(readSetting('serverBaseUrl')).kind === 'server') return [];
        const { definitionOf, watchDefinition } = await import('./definition.ts');
        const definition = await definitionOf(context);
        if (!isWatching) disposables.add(watchDefinition(context, change));
        isWatching = true;
        return [definition];
      },
    };
    disposables.add(onSettingChanged(['serverBaseUrl'], change));
    disposables.add(vscode.workspace.onDidGrantWorkspaceTrust(change));
    disposables.add(vscode.lm.registerMcpServerDefinitionProvider(mcpProviderId, provider));
  } catch (error) {
    log.warn(`Agents: couldn't register with VS Code: ${messageOf(error)}`);
  }
  return disposables;
}
