import * as vscode from 'vscode';
import type { Trust } from './polling.ts';

/** Workspace Trust of this window. */
export const vscodeTrust: Trust = {
  isTrusted: () => vscode.workspace.isTrusted,
  onGranted: (listener) => vscode.workspace.onDidGrantWorkspaceTrust(listener),
};

/** What polling for a view needs from the window: its Workspace Trust, and the progress bar of the view. */
export const viewPolling = (viewId: string) => ({
  trust: vscodeTrust,
  showProgress: (task: Promise<void>) => void vscode.window.withProgress({ location: { viewId } }, () => task),
});
