import * as vscode from 'vscode';
import { type InteractParts, registerInteractCommands } from './interact-commands.ts';
import { registerAgentJobs } from './jobs/agent-jobs.ts';
import { registerLanguageModel } from './language-model/language-model.ts';

/** Registers the commands of agents and of scraped pages, and lends the embedded service a language model for them. */
export function registerAgents(parts: InteractParts & { secrets: vscode.SecretStorage }): vscode.Disposable {
  const { connection, secrets, log } = parts;
  return vscode.Disposable.from(
    registerInteractCommands(parts),
    registerAgentJobs({ connection, log }),
    registerLanguageModel(connection, secrets, log),
  );
}
