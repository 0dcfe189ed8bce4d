import * as vscode from 'vscode';

/** Creates a code lens whose title may begin with an icon: VS Code drops an ordinary space behind it. */
export function codeLens(range: vscode.Range, command: vscode.Command): vscode.CodeLens {
  const title = command.title.replace(/^(\$\([\w~-]+\)) /, '$1\u00a0');
  return new vscode.CodeLens(range, { ...command, title });
}
