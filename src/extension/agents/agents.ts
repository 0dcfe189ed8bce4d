import * as vscode from 'vscode';
import type { JobEndings } from '../ui/job-endings.ts';
import { type InteractParts, registerInteractCommands } from './interact-commands.ts';
import { registerAgentJobs } from './jobs/agent-jobs.ts';
import { registerLanguageModel } from './language-model/language-model.ts';
import { registerMcp } from './mcp/mcp.ts';

/** Registers the commands of agents and of scraped pages, lends the embedded service a language model for them, and offers its tools to other agents. */
export function registerAgents(
  parts: InteractParts & { endings: JobEndings; secrets: vscode.SecretStorage; program: string },
): vscode.Disposable {
  const { connection, endings, documents, secrets, program, log } = parts;
  return vscode.Disposable.from(
    registerInteractCommands(parts),
    registerAgentJobs({ connection, endings, log }),
    registerLanguageModel(connection, secrets, log),
    registerMcp({ connection, documents, secrets, program, log }),
  );
}
