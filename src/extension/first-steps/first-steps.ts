import * as vscode from 'vscode';
import { registerCommand, requireTrust } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { newSnippet } from './new-snippet.ts';
import { openExamples } from './open-examples.ts';

export { Milestones } from './milestones.ts';

/** Registers what a new user starts with: a snippet, the examples and the walkthrough. */
export function registerFirstSteps(
  { extension, extensionUri }: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  return vscode.Disposable.from(
    registerCommand(commands.newSnippet, log, () => newSnippet()),
    registerCommand(commands.openExamples, log, () => {
      requireTrust();
      return openExamples(extensionUri);
    }),
    registerCommand(commands.openWalkthrough, log, () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extension.id}#start`, false),
    ),
  );
}
