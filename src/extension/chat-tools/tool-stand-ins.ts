import * as vscode from 'vscode';
import { chatTools } from '../ui/ids.ts';
import { type Disposable, Disposables } from '../ui/lifecycle.ts';
import { StandIn } from '../ui/stand-ins/stand-ins.ts';
import { messageOf } from '../ui/text/text.ts';

export type Tool = Required<vscode.LanguageModelTool<unknown>>;

/** Registers the tools for the language models of VS Code's chat, if the editor has them. */
export function standInForChatTools(load: () => Promise<void>, log: vscode.LogOutputChannel): Disposable {
  const disposables = new Disposables();
  try {
    // Not every editor that runs extensions has the API.
    if (typeof vscode.lm?.registerTool !== 'function') return disposables;
    for (const name of Object.values(chatTools)) {
      const standIn = disposables.add(new StandIn<Tool>(name, load));
      disposables.add(
        vscode.lm.registerTool(name, {
          prepareInvocation: async (...asked) => (await standIn.part()).prepareInvocation(...asked),
          invoke: async (...asked) => (await standIn.part()).invoke(...asked),
        }),
      );
    }
  } catch (error) {
    log.warn(`Chat tools: couldn't register with VS Code: ${messageOf(error)}`);
  }
  return disposables;
}
