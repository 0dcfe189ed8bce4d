import type * as vscode from 'vscode';

/** The key of a workspace's saved runs. This file loads as VS Code starts, unlike what reads them. */
export const storedRunsKey = 'webdata.runs';

/** Whether runs of this workspace are saved. */
export function hasHistory(memento: vscode.Memento): boolean {
  const stored = memento.get(storedRunsKey);
  return Array.isArray(stored) && stored.length > 0;
}
