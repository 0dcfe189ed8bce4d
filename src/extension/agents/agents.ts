import * as vscode from 'vscode';
import { type InteractParts, registerInteractCommands } from './interact-commands.ts';
import { registerLanguageModel } from './language-model/language-model.ts';
import { registerMcp } from './mcp/mcp.ts';

/** Registers the commands that act on scraped pages, lends the embedded service a language model for its agent, and offers its tools to other agents. */
export function registerAgents(
  parts: InteractParts & { secrets: vscode.SecretStorage; program: string },
): vscode.Disposable {
  const { connection, secrets, program, log } = parts;
  return vscode.Disposable.from(
    registerInteractCommands(parts),
    registerLanguageModel(connection, secrets, log),
    registerMcp({ connection, secrets, program, log }),
  );
}
