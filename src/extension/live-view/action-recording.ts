import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FromViewer, LiveStatement, ToViewer } from '../../contract/sessions/live-view.ts';
import { UserError } from '../ui/commands.ts';
import type { LastEditor } from './last-editor.ts';

/** How long the service may take to write what is pending when a recording ends. */
const endMs = 8_000;

/** Records what the user does in control of a session as a snippet. */
export function actionRecording(options: {
  last: LastEditor;
  send(message: FromViewer): void;
  /** Takes control of the session; returns whether that has worked. */
  takeControl(): Promise<boolean>;
  /** Shows whether what the user does is recorded. */
  show(on: boolean): void;
  onProblem(error: unknown): void;
}) {
  const snippet = recordedSnippet(options.last);
  let isOn = false;
  let onEnd: (() => void) | undefined;
  const set = (on: boolean) => {
    isOn = on;
    options.show(on);
    if (!on) onEnd?.();
  };
  return {
    /** Handles a message of the service; returns whether it is about recording. */
    receive(message: ToViewer): boolean {
      if (message.type === 'recorded') snippet.add(message.statement).catch(options.onProblem);
      else if (message.type === 'recording') set(message.on);
      else return false;
      return true;
    },
    /** Ends the recording, if there is one, once all of it is written. */
    async end(): Promise<void> {
      if (!isOn) return;
      options.send({ type: 'record', on: false });
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, endMs);
        onEnd = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    /** The connection that recorded is gone. */
    lost(): void {
      if (isOn) set(false);
    },
    async begin(): Promise<void> {
      if (!(await options.takeControl())) return;
      await snippet.begin();
      options.send({ type: 'record', on: true });
    },
  };
}

const languages = /^(?:javascript|typescript|python)/;

/** Writes recorded statements into the editor that was used last, in its language, or into a new snippet. The focus stays where it is. */
function recordedSnippet(last: LastEditor) {
  let document: vscode.TextDocument | undefined;
  let column: vscode.ViewColumn | undefined;
  let writing: Promise<void> = Promise.resolve();
  async function write({ javascript, python, secret }: LiveStatement): Promise<void> {
    if (!document) return;
    const isPython = document.languageId === 'python';
    const needsImport = secret && isPython && !/^\s*(?:import os\b|from os import)/m.test(document.getText());
    const shown = document;
    for (const line of needsImport ? ['import os', python] : [isPython ? python : javascript]) {
      await writeLine(await show(shown), line);
    }
  }
  async function show(shown: vscode.TextDocument): Promise<vscode.TextEditor> {
    const visible = vscode.window.visibleTextEditors.find((editor) => editor.document === shown);
    const options = { ...(column !== undefined && { viewColumn: column }), preserveFocus: true };
    return visible ?? (await vscode.window.showTextDocument(shown, options));
  }
  return {
    /** Chooses the document. */
    async begin(): Promise<void> {
      const { editor } = last;
      const isUsable = editor !== undefined && languages.test(editor.document.languageId);
      document = isUsable
        ? editor.document
        : await vscode.workspace.openTextDocument({ language: 'javascript', content: '' });
      column = isUsable ? editor.viewColumn : vscode.ViewColumn.One;
      await show(document);
    },
    /** Writes a statement below the cursor. Resolves when it and all before it are written. */
    add(statement: LiveStatement): Promise<void> {
      const written = writing.then(() => write(statement));
      writing = written.catch(() => undefined);
      return written;
    },
  };
}

/** Writes a line below that of the cursor, or in it if it is empty, and puts the cursor at its end. */
async function writeLine(editor: vscode.TextEditor, text: string): Promise<void> {
  const line = editor.document.lineAt(editor.selection.active.line);
  const indent = line.text.slice(0, line.firstNonWhitespaceCharacterIndex);
  const code = line.isEmptyOrWhitespace ? text : `\n${indent}${text}`;
  const done = await editor.edit((edit) => edit.insert(line.range.end, code), {
    undoStopBefore: true,
    undoStopAfter: true,
  });
  if (!done)
    throw new UserError(
      l10n.t("Couldn't write what was recorded: the editor is read-only. Open another file, then record again."),
    );
  const end = line.isEmptyOrWhitespace
    ? line.range.end.translate(0, text.length)
    : new vscode.Position(line.lineNumber + 1, indent.length + text.length);
  editor.selection = new vscode.Selection(end, end);
  // Its beginning: a long line would scroll the others out of sight.
  editor.revealRange(new vscode.Range(end.with({ character: 0 }), end.with({ character: 0 })));
}
