import * as vscode from 'vscode';
import { type Disposable, Disposables } from '../../ui/lifecycle.ts';
import { StandIn } from '../../ui/stand-ins/stand-ins.ts';
import { messageOf } from '../../ui/text/text.ts';

export const participantId = 'webdata.docs';
/** The view of the docs has the same id as the participant. */
export const participantKey = `chat participant ${participantId}`;

export interface Participant extends vscode.ChatFollowupProvider {
  answer: vscode.ChatRequestHandler;
}

/** Registers `@webdata` in VS Code's chat, if the editor has one. */
export function standInForChat(
  { extensionUri }: vscode.ExtensionContext,
  load: () => Promise<void>,
  log: vscode.LogOutputChannel,
): Disposable {
  const disposables = new Disposables();
  try {
    // Not every editor that runs extensions has a chat API.
    if (typeof vscode.chat?.createChatParticipant !== 'function') return disposables;
    const standIn = disposables.add(new StandIn<Participant>(participantKey, load));
    const participant = vscode.chat.createChatParticipant(participantId, async (...asked) =>
      (await standIn.part()).answer(...asked),
    );
    participant.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'web-data.svg');
    participant.followupProvider = {
      provideFollowups: async (...answered) => (await standIn.part()).provideFollowups(...answered),
    };
    disposables.add(participant);
  } catch (error) {
    log.warn(`Docs: couldn't register with VS Code chat: ${messageOf(error)}`);
  }
  return disposables;
}
