import * as vscode from 'vscode';
import { type InteractParts, registerInteractCommands } from './interact-commands.ts';
import { registerLanguageModel } from './language-model/language-model.ts';

/** Registers the commands that act on scraped pages, and lends the embedded service a language model for its agent. */
export function registerAgents(parts: InteractParts & { secrets: vscode.SecretStorage }): vscode.Disposable {
  const { connection, secrets, log } = parts;
  return vscode.Disposable.from(registerInteractCommands(parts), registerLanguageModel(connection, secrets, log));
}
