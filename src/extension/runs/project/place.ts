import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Place } from '../../../contract/embedded.ts';
import { readSetting } from '../../ui/settings.ts';
import { messageOf } from '../../ui/text/text.ts';
import type { RunRequest } from '../run-request.ts';

/**
 * Returns where the code of a request is from: its file, or one in the workspace folder if it isn't saved yet. Undefined if
 * the code has neither.
 */
export async function placeOf(request: RunRequest, log: vscode.LogOutputChannel): Promise<Place | undefined> {
  if (request.document === undefined) return undefined;
  const uri = vscode.Uri.parse(request.document, true);
  const saved = uri.scheme === 'file';
  const folder = (
    vscode.workspace.getWorkspaceFolder(uri) ?? (saved ? undefined : vscode.workspace.workspaceFolders?.[0])
  )?.uri;
  const workspaceFolder = folder?.scheme === 'file' ? folder.fsPath : undefined;
  const file = saved ? uri.fsPath : workspaceFolder && join(workspaceFolder, basename(uri.path) || 'untitled');
  if (file === undefined) return undefined;
  const inFolder = workspaceFolder !== undefined && readSetting('runWorkingDirectory', uri) === 'workspaceFolder';
  const python =
    request.language === 'python' && !readSetting('pythonPath') ? await findInterpreter(uri, log) : undefined;
  const envFile = envFilePath(readSetting('runEnvFile', uri), workspaceFolder, file);
  return {
    file,
    line: request.snippet.start.line,
    directory: inFolder ? workspaceFolder : dirname(file),
    ...(envFile !== undefined && { envFile }),
    ...(python !== undefined && { python }),
  };
}

/** The part of the Python extension's API that is used. */
interface PythonExtension {
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { id: string; path: string };
    resolveEnvironment(environment: {
      id: string;
      path: string;
    }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  };
}

/** Returns the interpreter that the Python extension uses for a file, or undefined if it isn't installed or has none. */
export async function findInterpreter(resource: vscode.Uri, log: vscode.LogOutputChannel): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>('ms-python.python');
  if (!extension) return undefined;
  try {
    const { environments } = await extension.activate();
    const environment = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(resource));
    return environment?.executable.uri?.fsPath;
  } catch (error) {
    log.warn(`The Python extension did not name an interpreter: ${messageOf(error)}`);
    return undefined;
  }
}

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
