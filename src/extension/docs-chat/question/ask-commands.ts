import * as vscode from 'vscode';
import { registerCommand } from '../../ui/commands.ts';
import { commands } from '../../ui/ids.ts';
import { Disposables } from '../../ui/lifecycle.ts';
import type { DocsChat } from '../chat/chat.ts';
import type { ChatView } from '../chat/chat-view.ts';
import { type CursorPlace, questionAbout } from './question.ts';

/** Registers `Ask the Docs` and `Clear Docs Questions`. */
export function registerAskCommands(parts: {
  chat: DocsChat;
  view: ChatView;
  log: vscode.LogOutputChannel;
}): vscode.Disposable {
  const { chat, view, log } = parts;
  const disposables = new Disposables();
  disposables.add(
    registerCommand(commands.askDocs, log, () => {
      return view.compose(questionAbout(cursorPlace()));
    }),
  );
  disposables.add(registerCommand(commands.clearDocs, log, () => chat.clear()));
  return disposables;
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
    .filter(({ range, severity }) => severity <= vscode.DiagnosticSeverity.Warning && onLines(range, at));
  const rank = ({ range, severity }: vscode.Diagnostic) => severity * 2 + (range.contains(at) ? 0 : 1);
  return diagnostics.toSorted((one, other) => rank(one) - rank(other))[0];
}

function onLines(range: vscode.Range, at: vscode.Position): boolean {
  return range.start.line <= at.line && at.line <= range.end.line;
}
