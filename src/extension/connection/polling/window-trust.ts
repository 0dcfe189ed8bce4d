import * as vscode from 'vscode';
import type { Trust } from './polling.ts';

/** Workspace Trust of this window. */
export const vscodeTrust: Trust = {
  isTrusted: () => vscode.workspace.isTrusted,
  onGranted: (listener) => vscode.workspace.onDidGrantWorkspaceTrust(listener),
};
