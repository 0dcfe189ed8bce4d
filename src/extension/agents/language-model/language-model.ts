import * as vscode from 'vscode';
import type { Connection } from '../../connection/connection.ts';
import { registerCommand } from '../../ui/commands.ts';
import { commands } from '../../ui/ids.ts';
import { keptSecret } from '../../ui/kept-secret.ts';
import type { Entered } from './set-up.ts';
import { lendLanguageModel } from './window-model.ts';

/** Name of the secret with the key of the configured language model server. */
const keyName = 'webdata.languageModel.key';

/** Lends the embedded service a language model, and registers "Set Up a Language Model…". */
export function registerLanguageModel(
  connection: Connection,
  secrets: vscode.SecretStorage,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const key = keptSecret(secrets, keyName);
  const lent = lendLanguageModel(connection, key, log);
  return vscode.Disposable.from(
    lent,
    registerCommand<[unknown]>(commands.setUpLanguageModel, log, async (argument) => {
      const { setUpLanguageModel } = await import('./set-up.ts');
      return await setUpLanguageModel({ key, offer: lent.offer }, enteredOf(argument));
    }),
  );
}

/** Returns what was entered before, from the button of a failed test. */
function enteredOf(argument: unknown): Entered | undefined {
  const { baseUrl } = (argument ?? {}) as { baseUrl?: unknown };
  return typeof baseUrl === 'string' ? (argument as Entered) : undefined;
}
