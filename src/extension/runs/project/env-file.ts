import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** Returns the absolute path of the env file that a setting names, or undefined if it names none. */
export function envFilePath(setting: string, workspaceFolder: string | undefined, file: string): string | undefined {
  const text = setting.trim();
  if (text === '') return undefined;
  if (/\$\{workspaceFolder\}/.test(text) && workspaceFolder === undefined) {
    throw new Error(
      `The setting "webdata.run.envFile" is ${text}, but the file isn't in a workspace folder. Open its folder or change the setting.`,
    );
  }
  const path = text
    .replace(/\$\{workspaceFolder\}/g, () => workspaceFolder ?? '')
    .replace(/\$\{userHome\}|^~(?=[\\/])/g, () => homedir());
  return isAbsolute(path) ? path : join(workspaceFolder ?? dirname(file), path);
}
