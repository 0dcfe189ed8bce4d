import * as vscode from 'vscode';
import { registerCommand } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { modelKeySecret } from './window-model.ts';

/** "Set Language Model Key…": the key of the endpoint that the settings name, kept in the secret storage. */
export function registerModelKeyCommand(
  secrets: vscode.SecretStorage,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  return registerCommand(commands.setLanguageModelKey, log, async () => {
    const key = await vscode.window.showInputBox({
      title: 'Key of the language model server',
      prompt: 'Empty takes the key away.',
      password: true,
      ignoreFocusOut: true,
      validateInput: (value) =>
        /^[\x21-\x7e]{0,4096}$/.test(value) ? undefined : 'Expected printable ASCII without spaces.',
    });
    if (key === undefined) return;
    if (key) await secrets.store(modelKeySecret, key);
    else await secrets.delete(modelKeySecret);
    vscode.window.setStatusBarMessage(key ? '$(check) Key kept' : '$(check) Key removed', 5_000);
  });
}
