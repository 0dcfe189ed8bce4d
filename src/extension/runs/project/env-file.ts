import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import * as l10n from '@vscode/l10n';

/** Returns the absolute path of the env file that a setting names, or undefined if it names none. */
export function envFilePath(setting: string, workspaceFolder: string | undefined, file: string): string | undefined {
  const text = setting.trim();
  if (text === '') return undefined;
  if (/\$\{workspaceFolder\}/.test(text) && workspaceFolder === undefined) {
    throw new Error(
      l10n.t(
        'The setting "webdata.run.envFile" is {0}, but the file isn\'t in a workspace folder. Open its folder or change the setting.',
        text,
      ),
    );
  }
  const path = text
    .replace(/\$\{workspaceFolder\}/g, () => workspaceFolder ?? '')
    .replace(/\$\{userHome\}|^~(?=[\\/])/g, () => homedir());
  return isAbsolute(path) ? path : join(workspaceFolder ?? dirname(file), path);
}
