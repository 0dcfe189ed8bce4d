import { homedir } from 'node:os';
import * as vscode from 'vscode';

/** Returns where files are saved by default: in the workspace, or the home folder without one. */
export function saveFolder(): vscode.Uri {
  return vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
}
