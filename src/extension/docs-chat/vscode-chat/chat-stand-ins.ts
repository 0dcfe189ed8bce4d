import * as vscode from 'vscode';
import { type Disposable, Disposables } from '../../ui/lifecycle.ts';
import { StandIn, takeOver } from '../../ui/stand-ins/stand-ins.ts';
import { messageOf } from '../../ui/text.ts';

const participantId = 'webdata.docs';
const toolName = 'webdata_docs_answer';
/** The view of the docs has the same id as the participant. */
const participantKey = `chat participant ${participantId}`;

export interface Participant extends vscode.ChatFollowupProvider {
  answer: vscode.ChatRequestHandler;
}
export type Tool = vscode.LanguageModelTool<{ question: string }>;

/** Registers `@webdata` in VS Code's chat, and a tool for its language models, if the editor has them. */
export function standInForChat(
  { extensionUri }: vscode.ExtensionContext,
  load: () => Promise<void>,
  log: vscode.LogOutputChannel,
): Disposable {
  const disposables = new Disposables();
  try {
    // Not every editor that runs extensions has a chat API.
    if (typeof vscode.chat?.createChatParticipant === 'function') {
      const standIn = disposables.add(new StandIn<Participant>(participantKey, load));
      const participant = vscode.chat.createChatParticipant(participantId, async (...asked) =>
        (await standIn.part()).answer(...asked),
      );
      participant.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'web-data.svg');
      participant.followupProvider = {
        provideFollowups: async (...answered) => (await standIn.part()).provideFollowups(...answered),
      };
      disposables.add(participant);
    }
    if (typeof vscode.lm?.registerTool === 'function') {
      const standIn = disposables.add(new StandIn<Tool>(toolName, load));
      const tool: Tool = {
        prepareInvocation: async (...asked) => (await standIn.part()).prepareInvocation?.(...asked),
        invoke: async (...asked) => (await standIn.part()).invoke(...asked),
      };
      disposables.add(vscode.lm.registerTool(toolName, tool));
    }
  } catch (error) {
    log.warn(`Docs: couldn't register with VS Code chat: ${messageOf(error)}`);
  }
  return disposables;
}

/** An editor without the API has no stand-in: nothing calls the participant or the tool there. */
const notAsked = () => ({ dispose: () => undefined });

export function takeOverParticipant(participant: Participant): Disposable {
  return takeOver(participantKey, participant, notAsked);
}

export function takeOverTool(tool: Tool): Disposable {
  return takeOver(toolName, tool, notAsked);
}
