import * as vscode from 'vscode';
import type { FeatureParts } from '../connection/connection.ts';
import { registerCommand } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { onSettingChanged, readSetting } from '../ui/settings.ts';

/** Registers "Search the Web…" and "Set Up Search…", and passes the search engine in the settings to the embedded service. */
export function registerSearch(parts: FeatureParts): vscode.Disposable {
  const { connection, log } = parts;
  const pass = () => {
    const endpoint = readSetting('searchEndpoint').trim();
    connection.sendToService({ type: 'search-endpoint', endpoint: endpoint || null });
  };
  const listening = connection.onServiceLinked.on(pass);
  return vscode.Disposable.from(
    listening,
    onSettingChanged(['searchEndpoint'], pass),
    registerCommand<[unknown]>(commands.searchWeb, log, async (argument) => {
      const { searchWeb } = await import('./search-web.ts');
      await searchWeb(parts, argument);
    }),
    registerCommand<[unknown]>(commands.setUpSearch, log, async (query) => {
      const { setUpSearch } = await import('./set-up.ts');
      const isSetUp = await setUpSearch(pass);
      // What was searched for when the engine was missing.
      if (isSetUp && typeof query === 'string') await vscode.commands.executeCommand(commands.searchWeb, query);
      return isSetUp;
    }),
  );
}
