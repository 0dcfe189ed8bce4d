import * as vscode from 'vscode';
import { readSetting } from '../../ui/settings.ts';
import type { Trust } from './polling.ts';

/** Workspace Trust of this window. */
export const vscodeTrust: Trust = {
  isTrusted: () => vscode.workspace.isTrusted,
  onGranted: (listener) => vscode.workspace.onDidGrantWorkspaceTrust(listener),
};

/** Whether the user lets visible views read at intervals. */
export function mayPoll(): boolean {
  return readSetting('viewsAutoRefresh');
}
