import * as vscode from 'vscode';
import { mcpKeyNameVariable, mcpKeyVariable } from '../../../contract/mcp/mcp.ts';
import { serviceOptions, serviceSettings } from '../../connection/embedded/process.ts';
import { dataDirectory, serviceTuning, startSettings } from '../../connection/embedded/service-settings.ts';
import { onSettingChanged } from '../../ui/settings.ts';
import { ownKey, ownKeyName } from './own-key.ts';

type Context = Pick<vscode.ExtensionContext, 'asAbsolutePath' | 'extension' | 'globalStorageUri' | 'secrets'>;

/** Returns how VS Code's agents start the tools: with the program of this version, the settings of the service and a key of their own. */
export async function definitionOf(context: Context): Promise<vscode.McpStdioServerDefinition> {
  const folder = dataDirectory(context);
  const options = serviceOptions(serviceTuning());
  const { key } = await ownKey(context.secrets, () => folder).get();
  return new vscode.McpStdioServerDefinition(
    'Web Data',
    process.execPath,
    [context.asAbsolutePath('dist/service.cjs'), 'mcp', '--data-dir', folder, ...options],
    { ...serviceSettings(process.env), [mcpKeyVariable]: key, [mcpKeyNameVariable]: ownKeyName },
    context.extension.packageJSON.version,
  );
}

/** Calls back when the definition may have changed: the settings of the service, or its key. */
export function watchDefinition(context: Context, listener: () => void): vscode.Disposable {
  return vscode.Disposable.from(
    onSettingChanged(['dataDirectory', ...startSettings], listener),
    ownKey(context.secrets, () => dataDirectory(context)).onDidChange(listener),
  );
}
