import type * as vscode from 'vscode';

/**
 * Shows a quick pick until `wire` settles it or the user hides it, and disposes of it.
 * @returns what it was settled with, or `hidden`
 */
export async function settled<Item extends vscode.QuickPickItem, Result>(
  pick: vscode.QuickPick<Item>,
  wire: (settle: (result: Result | undefined) => void) => void,
  hidden?: Result,
): Promise<Result | undefined> {
  try {
    return await new Promise<Result | undefined>((resolve) => {
      wire(resolve);
      pick.onDidHide(() => resolve(hidden));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}
