import * as vscode from 'vscode';
import { registerCommand } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { modelKeySecret } from './window-model.ts';

/** Registers "Set Language Model Key…", which saves the key of the configured endpoint in the secret storage. */
export function registerModelKeyCommand(
  secrets: vscode.SecretStorage,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  return registerCommand(commands.setLanguageModelKey, log, async () => {
    const key = await vscode.window.showInputBox({
      title: 'Set Language Model Key',
      prompt: 'API key of the language model server. Leave empty to remove it.',
      password: true,
      ignoreFocusOut: true,
      validateInput: (value) =>
        /^[\x21-\x7e]{0,4096}$/.test(value) ? undefined : 'Expected printable ASCII without spaces.',
    });
    if (key === undefined) return;
    if (key) await secrets.store(modelKeySecret, key);
    else await secrets.delete(modelKeySecret);
    vscode.window.setStatusBarMessage(
      key ? '$(check) Language model key saved' : '$(check) Language model key removed',
      5_000,
    );
  });
}
