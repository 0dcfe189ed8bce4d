import * as vscode from 'vscode';
import type { FeatureParts } from '../connection/connection.ts';
import { registerCommand } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { takeOver } from '../ui/stand-ins/stand-ins.ts';
import { DocsChat } from './chat/chat.ts';
import { keepHistory } from './chat/chat-history.ts';
import { ChatView } from './chat/chat-view.ts';
import { readBundledDocs } from './evidence/bundled-docs.ts';
import { type CursorPlace, questionAbout } from './question/question.ts';
import { registerSourceCommands } from './sources/sources.ts';
import { ModelAnswers } from './vscode-chat/chat-answer.ts';
import { participantKey } from './vscode-chat/chat-stand-ins.ts';
import { createParticipant } from './vscode-chat/vscode-chat.ts';

interface Parts extends FeatureParts {
  extensionUri: vscode.Uri;
  state: vscode.Memento;
  /** Called when the docs have answered a question. */
  onAnswered(): void;
}

/** Registers the "Docs" view, its commands, and the docs in VS Code's chat. */
export function registerDocsChat({ connection, documents, extensionUri, state, onAnswered, log }: Parts) {
  const folder = vscode.Uri.joinPath(extensionUri, 'docs');
  const docs = readBundledDocs(folder);
  const chat = new DocsChat({ connection, docs, isTrusted: () => vscode.workspace.isTrusted, log });
  const view = new ChatView({ chat, connection, docs, documents, extensionUri, log });
  const answers = new ModelAnswers(connection);
  const registered = vscode.Disposable.from(
    takeOver(participantKey, createParticipant({ connection, docs, answers, folder })),
    registerSourceCommands({ connection, log }),
    registerCommand(commands.clearDocs, log, () => chat.clear()),
    registerCommand(commands.askDocs, log, () => view.compose(questionAbout(cursorPlace()))),
    view,
    chat.store.onChange.on((change) => {
      if (change.kind === 'turn' && change.turn.state === 'answered') onAnswered();
    }),
    keepHistory(chat.store, state),
    chat,
  );
  return {
    /** Answers a question as text with its sources, for language models. Rejects when the signal aborts, or with what went wrong. */
    answer: (question: string, signal: AbortSignal): Promise<string> => answers.answer(question, signal),
    dispose: (): void => registered.dispose(),
  };
}

function cursorPlace(): CursorPlace {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return { selection: '', language: 'plaintext' };
  const { document, selection } = editor;
  return {
    selection: document.getText(selection),
    language: document.languageId,
    error: errorAt(document.uri, selection.active)?.message,
  };
}

/** Returns the most severe error or warning at the cursor or on its line. */
function errorAt(uri: vscode.Uri, at: vscode.Position): vscode.Diagnostic | undefined {
  const diagnostics = vscode.languages
    .getDiagnostics(uri)
    .filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning)
    .filter(({ range }) => range.start.line <= at.line && at.line <= range.end.line);
  const rank = ({ range, severity }: vscode.Diagnostic) => severity * 2 + (range.contains(at) ? 0 : 1);
  return diagnostics.toSorted((one, other) => rank(one) - rank(other))[0];
}
