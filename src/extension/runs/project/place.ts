import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { Place } from '../../../contract/embedded.ts';
import { readSetting } from '../../ui/settings.ts';
import type { RunRequest } from '../runs.ts';
import { envFilePath } from './env-file.ts';
import { findInterpreter } from './python-interpreter.ts';

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
    directory: inFolder ? workspaceFolder : dirname(file),
    ...(envFile !== undefined && { envFile }),
    ...(python !== undefined && { python }),
  };
}
