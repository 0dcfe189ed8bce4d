import type * as vscode from 'vscode';

/**
 * Shows a quick pick, which stays when the focus moves, and disposes of it at the end.
 * @param accept returns the result for what is accepted; undefined for nothing that can be
 * @param wire other ways to end it
 * @returns what it was settled with; `hidden` if the user hides it
 */
export async function settled<Item extends vscode.QuickPickItem, Result>(
  pick: vscode.QuickPick<Item>,
  accept: (item: Item | undefined) => Result | undefined,
  wire?: (settle: (result: Result | undefined) => void) => void,
  hidden?: Result,
): Promise<Result | undefined> {
  pick.ignoreFocusOut = true;
  try {
    return await new Promise<Result | undefined>((resolve) => {
      pick.onDidAccept(() => {
        const result = accept(pick.selectedItems[0]);
        if (result !== undefined) resolve(result);
      });
      wire?.(resolve);
      pick.onDidHide(() => resolve(hidden));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}
